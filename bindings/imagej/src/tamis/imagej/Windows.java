package tamis.imagej;

import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.gui.Plot;
import ij.macro.Interpreter;
import ij.measure.Calibration;
import ij.measure.ResultsTable;
import ij.plugin.LutLoader;
import ij.plugin.filter.Analyzer;
import ij.process.ImageProcessor;
import ij.process.LUT;
import java.awt.Color;
import java.awt.image.IndexColorModel;
import java.util.Map;

/** What an operation gives, as windows: images, maps in "Fire" with a calibration bar, a table, plots. */
final class Windows {
  private static final Color CURVE = new Color(0x1f77b4);

  private final ImagePlus source;
  private final String title;

  Windows(ImagePlus source, String operation, String which) {
    this.source = source;
    title = operation + " of " + source.getTitle() + which;
  }

  void show(Call call, ImageStack stack) throws Tamis.Refused {
    Map<String, Tamis.View> images = call.images();
    Map<String, double[]> columns = call.columns();
    if (!columns.isEmpty()) table(columns, call.figures());
    if (columns.isEmpty() && call.figures().containsKey("value")) figures(call.figures());
    if (columns.containsKey("spectrum") && columns.containsKey("fraction")) sizes(columns);
    if (columns.containsKey("saturation")) saturation(columns);
    if (columns.containsKey("histogram")) Directions.showRose(title, columns);
    for (Map.Entry<String, Tamis.View> named : images.entrySet()) image(named.getKey(), named.getValue(), columns);
    if (images.containsKey("orientation")) {
      Directions.showPicture(title, images, stack, source.getCalibration());
    }
  }

  private void image(String name, Tamis.View view, Map<String, double[]> columns) {
    ImagePlus image = Samples.image(name.equals("out") ? title : name + ", " + title, view, source.getCalibration());
    boolean map = name.equals("map") || columns.containsKey("spectrum");
    if (map) fire(image);
    image.show();
    if (map && !Interpreter.isBatchMode()) {
      IJ.run(image, "Calibration Bar...", "location=[Upper Right] fill=White label=Black number=5 decimal=1 font=12 "
          + "zoom=1 overlay");
    }
  }

  /** Black is the background, white the largest. */
  private static void fire(ImagePlus image) {
    double largest = 0;
    for (int z = 1; z <= image.getStackSize(); ++z) {
      ImageProcessor slice = image.getStack().getProcessor(z);
      for (int i = 0; i < slice.getPixelCount(); ++i) {
        float value = slice.getf(i);
        if (value > largest && !Float.isInfinite(value)) largest = value;
      }
    }
    IndexColorModel fire = LutLoader.getLut("fire");
    if (fire != null) image.setLut(new LUT(fire, 0, 255));
    image.setDisplayRange(0, Math.max(1, largest));
  }

  /** In a macro the table is "Results", which it can save; otherwise a window of its own, which spoils none. */
  private void table(Map<String, double[]> columns, Map<String, Object> figures) {
    boolean macro = IJ.isMacro();
    ResultsTable table = macro ? Analyzer.getResultsTable() : new ResultsTable();
    table.reset();
    table.setPrecision(6);
    for (Map.Entry<String, double[]> column : columns.entrySet()) {
      double[] values = column.getValue();
      for (int row = 0; row < values.length; ++row) {
        if (table.size() <= row) table.incrementCounter();
        table.setValue(column.getKey(), row, values[row]);
      }
    }
    table.show(macro ? "Results" : "Table, " + title);
    figures(figures);
  }

  private void figures(Map<String, Object> figures) {
    StringBuilder text = new StringBuilder(title);
    for (Map.Entry<String, Object> figure : figures.entrySet()) {
      if (figure.getKey().equals("operation")) continue;
      text.append("\n  ").append(figure.getKey().replace('_', ' ')).append(": ");
      text.append(words(figure.getValue()));
    }
    IJ.log(text.toString());
  }

  private static Object words(Object figure) {
    if (figure == null) return "-";
    if (!(figure instanceof Double)) return figure;
    double number = (Double) figure;
    return number == Math.rint(number) ? String.valueOf((long) number) : String.format("%.6g", number);
  }

  private static String widthOf(Map<String, double[]> columns) {
    for (String name : columns.keySet()) {
      if (name.startsWith("width")) return name;
    }
    return "size";
  }

  private void sizes(Map<String, double[]> columns) {
    String width = widthOf(columns);
    double[] widths = columns.get(width);
    Plot curve = new Plot("curve, " + title, width, "share left after the opening");
    curve.setColor(CURVE);
    curve.setLineWidth(2);
    curve.add("line", widths, columns.get("fraction"));
    curve.show();
    double all = columns.get("volume")[0];
    double[] shares = columns.get("spectrum").clone();
    for (int i = 0; i < shares.length; ++i) shares[i] = all > 0 ? shares[i] / all : 0;
    Plot spectrum = new Plot("spectrum, " + title, width, "share of this size");
    spectrum.setColor(CURVE, CURVE);
    spectrum.add("separated bar", widths, shares);
    spectrum.show();
  }

  private void saturation(Map<String, double[]> columns) {
    for (String name : columns.keySet()) {
      if (!name.startsWith("radius")) continue;
      Plot plot = new Plot("saturation, " + title, name, "share of the pores that is invaded");
      plot.setColor(CURVE);
      plot.setLineWidth(2);
      plot.add("line", columns.get(name), columns.get("saturation"));
      plot.show();
    }
  }

  static Calibration plain(Calibration calibration) {
    Calibration copy = calibration.copy();
    copy.setFunction(Calibration.NONE, null, "Gray Value");
    return copy;
  }
}
