package tamis.imagej;

import ij.WindowManager;
import ij.gui.GenericDialog;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The fields of a dialog, made of what an operation says of its parameters. Macros know them by the same names. */
final class Fields {
  private static final String NONE = "-";

  private final Map<String, Object> operation;
  private final List<Map<String, Object>> parameters = new ArrayList<>();
  private final List<String> further = new ArrayList<>();
  private Map<String, String> given = new LinkedHashMap<>();
  private List<String> titles = new ArrayList<>();

  Fields(Map<String, Object> operation) {
    this.operation = operation;
    for (Object parameter : Json.list(operation.get("parameters"))) parameters.add(Json.object(parameter));
    List<Object> takes = Json.list(operation.get("takes"));
    for (Object image : takes.subList(Math.min(1, takes.size()), takes.size())) {
      further.add((String) Json.object(image).get("name"));
    }
  }

  boolean takesOne() {
    return further.isEmpty();
  }

  void ask(GenericDialog dialog) {
    for (String name : further) {
      String[] open = WindowManager.getImageTitles();
      dialog.addChoice(name, open, open.length > 0 ? open[open.length - 1] : "");
    }
    for (Map<String, Object> parameter : parameters) add(dialog, parameter);
    dialog.addHelp(help());
  }

  private static void add(GenericDialog dialog, Map<String, Object> parameter) {
    String name = (String) parameter.get("name");
    Object initial = parameter.get("default");
    if (parameter.get("type").equals("flag")) {
      dialog.addCheckbox(name, Boolean.TRUE.equals(initial));
      return;
    }
    String text = text(initial);
    String[] words = words(parameter);
    if (words != null) {
      dialog.addChoice(name, words, text.isEmpty() ? NONE : text);
      return;
    }
    dialog.addStringField(name, text, 10);
  }

  /** The words of a choice, first none where there need be none; null where other texts are taken too. */
  private static String[] words(Map<String, Object> parameter) {
    List<Object> choices = Json.list(parameter.get("choices"));
    if (choices.isEmpty()) return null;
    List<String> words = new ArrayList<>();
    if (parameter.get("default") == null) words.add(NONE);
    for (Object choice : choices) {
      if (!choice.equals(((String) choice).toLowerCase())) return null;  // capitals stand for something
      words.add((String) choice);
    }
    return words.toArray(new String[0]);
  }

  private static String text(Object value) {
    if (value == null) return "";
    if (!(value instanceof Double)) return value.toString();
    double number = (Double) value;
    return number == Math.rint(number) ? String.valueOf((long) number) : String.valueOf(number);
  }

  /** In the order of ask(). */
  void read(GenericDialog dialog) {
    Map<String, String> read = new LinkedHashMap<>();
    List<String> images = new ArrayList<>();
    for (int i = 0; i < further.size(); ++i) images.add(dialog.getNextChoice());
    for (Map<String, Object> parameter : parameters) {
      String text;
      if (parameter.get("type").equals("flag")) {
        text = String.valueOf(dialog.getNextBoolean());
      } else {
        text = words(parameter) == null ? dialog.getNextString().trim() : dialog.getNextChoice();
      }
      // What is as it was is not given: some defaults depend on others.
      boolean initial = text.equals(text(parameter.get("default"))) || text.equals(NONE) || text.isEmpty()
          || text.equals("false");
      if (!initial) read.put((String) parameter.get("name"), text);
    }
    given = read;
    titles = images;
  }

  Map<String, String> given() {
    return given;
  }

  /** Titles of the images beside the first, each with the name that the operation has for it. */
  Map<String, String> furtherImages() {
    Map<String, String> images = new LinkedHashMap<>();
    for (int i = 0; i < further.size(); ++i) images.put(further.get(i), titles.get(i));
    return images;
  }

  private String help() {
    StringBuilder page = new StringBuilder("<html><body width=500><h3>tamis " + operation.get("name") + "</h3>");
    page.append("<p>").append(escaped(operation.get("text"))).append(". ").append(escaped(operation.get("details")));
    page.append("</p><dl>");
    for (Map<String, Object> parameter : parameters) {
      page.append("<dt><b>").append(parameter.get("name")).append("</b>");
      if (parameter.get("unit") != null) page.append(", ").append(parameter.get("unit"));
      page.append("</dt><dd>").append(escaped(parameter.get("text"))).append("; for example ")
          .append(escaped(text(parameter.get("example")))).append("</dd>");
    }
    return page.append("</dl></body></html>").toString();
  }

  private static String escaped(Object text) {
    return String.valueOf(text).replace("&", "&amp;").replace("<", "&lt;").replace("`", "");
  }
}
