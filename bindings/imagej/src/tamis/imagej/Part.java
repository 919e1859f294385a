package tamis.imagej;

import ij.ImagePlus;
import ij.ImageStack;
import ij.gui.GenericDialog;

/** Which part of a hyperstack is worked on: a channel, a frame, and its slices as a volume, each alone, or one. */
final class Part {
  private static final String[] SLICES = {"volume", "each", "current"};

  private final ImagePlus image;
  private int channel;
  private int frame;
  private String slices;

  Part(ImagePlus image) {
    this.image = image;
    channel = image.getChannel();
    frame = image.getFrame();
    slices = image.getNSlices() > 1 ? SLICES[0] : SLICES[2];
  }

  /** Fields for what the image has several of. */
  void ask(GenericDialog dialog) {
    if (image.getNChannels() > 1) dialog.addNumericField("channel", channel, 0);
    if (image.getNFrames() > 1) dialog.addNumericField("frame", frame, 0);
    if (image.getNSlices() > 1) dialog.addChoice("slices", SLICES, slices);
  }

  void read(GenericDialog dialog) {
    if (image.getNChannels() > 1) channel = (int) dialog.getNextNumber();
    if (image.getNFrames() > 1) frame = (int) dialog.getNextNumber();
    if (image.getNSlices() > 1) slices = dialog.getNextChoice();
  }

  void check() throws Tamis.Refused {
    require("channel", channel, image.getNChannels());
    require("frame", frame, image.getNFrames());
  }

  private static void require(String what, int number, int last) throws Tamis.Refused {
    if (number >= 1 && number <= last) return;
    throw new Tamis.Refused(what + "=" + number + ": wanted 1 to " + last, false);
  }

  boolean isVolume() {
    return slices.equals(SLICES[0]);
  }

  int rank() {
    return isVolume() ? 3 : 2;
  }

  /** Numbers in the stack of the image. */
  int[] indices() {
    if (slices.equals(SLICES[2])) return new int[] {image.getStackIndex(channel, image.getSlice(), frame)};
    int[] indices = new int[image.getNSlices()];
    for (int z = 0; z < indices.length; ++z) indices[z] = image.getStackIndex(channel, z + 1, frame);
    return indices;
  }

  ImageStack stack() {
    ImageStack part = new ImageStack(image.getWidth(), image.getHeight());
    for (int index : indices()) part.addSlice("", image.getStack().getPixels(index));
    return part;
  }
}
