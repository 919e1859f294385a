package tamis.imagej;

import ij.ImagePlus;
import ij.ImageStack;
import ij.gui.Plot;
import ij.measure.Calibration;
import ij.process.ColorProcessor;
import ij.process.ImageProcessor;
import java.awt.Color;
import java.util.Map;

/** Orientations as people look at them: a picture in colours, a rose. */
final class Directions {
  private Directions() {}

  /** Hue the angle, saturation the contrast, value the image. */
  static void showPicture(String title, Map<String, Tamis.View> images, ImageStack stack, Calibration calibration) {
    ImageStack angles = Samples.image("", images.get("orientation"), calibration).getStack();
    ImageStack contrasts = Samples.image("", images.get("contrast"), calibration).getStack();
    double most = range(contrasts)[1];
    double[] values = range(stack);
    ImageStack picture = new ImageStack(stack.getWidth(), stack.getHeight());
    for (int z = 1; z <= stack.getSize(); ++z) {
      ImageProcessor angle = angles.getProcessor(z);
      ImageProcessor contrast = contrasts.getProcessor(z);
      ImageProcessor value = stack.getProcessor(z);
      int[] colours = new int[angle.getPixelCount()];
      for (int i = 0; i < colours.length; ++i) {
        boolean known = !Float.isNaN(angle.getf(i));
        float saturation = known && most > 0 ? (float) Math.min(1, contrast.getf(i) / most) : 0;
        float brightness = (float) ((value.getf(i) - values[0]) / Math.max(1e-9, values[1] - values[0]));
        colours[i] = Color.HSBtoRGB(known ? angle.getf(i) / 180 : 0, saturation, Math.max(0, Math.min(1, brightness)));
      }
      picture.addSlice("", new ColorProcessor(stack.getWidth(), stack.getHeight(), colours));
    }
    ImagePlus image = new ImagePlus("picture, " + title, picture);
    image.setCalibration(Windows.plain(calibration));
    image.show();
  }

  private static double[] range(ImageStack stack) {
    double[] range = {Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};
    for (int z = 1; z <= stack.getSize(); ++z) {
      ImageProcessor slice = stack.getProcessor(z);
      for (int i = 0; i < slice.getPixelCount(); ++i) {
        range[0] = Math.min(range[0], slice.getf(i));
        range[1] = Math.max(range[1], slice.getf(i));
      }
    }
    return range;
  }

  /** How much there is in each direction; what runs one way runs the other way too. */
  static void showRose(String title, Map<String, double[]> columns) {
    double[] angles = columns.get("angle");
    double[] weights = columns.get("histogram");
    int count = 0;
    double most = 0;
    for (double weight : weights) {
      if (Double.isNaN(weight)) continue;
      ++count;
      most = Math.max(most, weight);
    }
    double[] x = new double[2 * count + 1];
    double[] y = new double[2 * count + 1];
    int at = 0;
    for (int half = 0; half < 2; ++half) {
      for (int i = 0; i < weights.length; ++i) {
        if (Double.isNaN(weights[i])) continue;
        double turn = Math.toRadians(angles[i] + 180 * half);
        double radius = most > 0 ? weights[i] / most : 0;
        x[at] = radius * Math.cos(turn);
        y[at++] = radius * Math.sin(turn);
      }
    }
    if (count == 0) return;
    x[at] = x[0];
    y[at] = y[0];
    Plot rose = new Plot("rose, " + title, "to the right", "up");
    rose.setSize(420, 420);
    rose.setLimits(-1.05, 1.05, -1.05, 1.05);
    rose.setColor(new Color(0x1f77b4));
    rose.setLineWidth(2);
    rose.add("line", x, y);
    rose.show();
  }
}
