package tamis.imagej;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON into maps, lists, texts, numbers, booleans and null; ImageJ has nothing that does. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static Object read(String text) {
    return new Json(text).value();
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value) {
    return (Map<String, Object>) value;
  }

  @SuppressWarnings("unchecked")
  static List<Object> list(Object value) {
    return value == null ? new ArrayList<Object>() : (List<Object>) value;
  }

  private char next() {
    while (Character.isWhitespace(text.charAt(at))) ++at;
    return text.charAt(at);
  }

  private boolean take(char wanted) {
    if (next() != wanted) return false;
    ++at;
    return true;
  }

  private Object value() {
    switch (next()) {
      case '{':
        return members();
      case '[':
        return elements();
      case '"':
        return string();
      default:
        return word();
    }
  }

  private Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    take('{');
    while (!take('}')) {
      String name = string();
      take(':');
      members.put(name, value());
      take(',');
    }
    return members;
  }

  private List<Object> elements() {
    List<Object> elements = new ArrayList<>();
    take('[');
    while (!take(']')) {
      elements.add(value());
      take(',');
    }
    return elements;
  }

  private String string() {
    StringBuilder letters = new StringBuilder();
    take('"');
    for (; text.charAt(at) != '"'; ++at) letters.append(text.charAt(at) == '\\' ? escaped() : text.charAt(at));
    ++at;
    return letters.toString();
  }

  private char escaped() {
    char letter = text.charAt(++at);
    if (letter == 'u') {
      at += 4;
      return (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
    }
    int place = "nrtbf".indexOf(letter);
    return place < 0 ? letter : "\n\r\t\b\f".charAt(place);
  }

  private Object word() {
    int begin = at;
    while (at < text.length() && ",]} \n".indexOf(text.charAt(at)) < 0) ++at;
    String word = text.substring(begin, at);
    if (word.equals("null")) return null;
    if (word.equals("true") || word.equals("false")) return word.equals("true");
    return Double.valueOf(word);
  }
}
