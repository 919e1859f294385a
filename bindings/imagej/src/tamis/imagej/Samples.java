package tamis.imagej;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import ij.ImagePlus;
import ij.ImageStack;
import ij.gui.Roi;
import ij.measure.Calibration;
import ij.process.ByteProcessor;
import ij.process.FloatProcessor;
import ij.process.ImageProcessor;
import ij.process.ShortProcessor;
import java.util.Locale;

/** Images of ImageJ as the library has them, and back. */
final class Samples {
  // tamis_type
  private static final int BOOL = 0;
  private static final int U8 = 1;
  private static final int U16 = 2;
  private static final int I16 = 3;
  private static final int F32 = 4;
  private static final int U32 = 6;

  /** Memory that is given back when it is no longer needed, not when the collector comes by. */
  private static final class Block extends Memory {
    Block(long bytes) {
      super(bytes);
    }

    /** By the name that all versions of JNA have for it. */
    @SuppressWarnings("deprecation")
    void free() {
      dispose();
    }
  }

  private final Block memory;
  private final long[] size;
  private final int type;
  private final int rank;
  private final Calibration calibration;
  private String name;

  /** `rank` 3: the stack is a volume, 2: its slices have nothing to do with each other. */
  Samples(ImageStack stack, Calibration calibration, int rank) throws Tamis.Refused {
    this.calibration = calibration;
    this.rank = rank;
    type = typeOf(stack.getProcessor(1), calibration);
    size = new long[] {stack.getSize(), stack.getHeight(), stack.getWidth()};
    long slice = size[1] * size[2] * bytes(type);
    memory = new Block(slice * size[0]);
    for (int z = 0; z < size[0]; ++z) write(stack.getPixels(z + 1), z * slice);
  }

  /** Of the images that an operation takes by their names only. */
  Samples called(String name) {
    this.name = name;
    return this;
  }

  /** 255 inside of an area, 0 outside: what counts. */
  static Samples region(Roi roi, int width, int height, int rank) throws Tamis.Refused {
    ByteProcessor inside = new ByteProcessor(width, height);
    inside.setColor(255);
    inside.fill(roi);
    ImageStack stack = new ImageStack(width, height);
    stack.addSlice(inside);
    return new Samples(stack, new Calibration(), rank).called("roi");
  }

  private static int typeOf(ImageProcessor pixels, Calibration calibration) throws Tamis.Refused {
    if (pixels instanceof ByteProcessor) return U8;
    if (pixels instanceof FloatProcessor) return F32;
    if (pixels instanceof ShortProcessor) return calibration.isSigned16Bit() ? I16 : U16;
    throw new Tamis.Refused("The image is RGB; wanted 8, 16 or 32 bits: Image > Type > 8-bit, or Image > Color > "
        + "Split Channels", false);
  }

  private static int bytes(int type) {
    return type <= U8 ? 1 : type <= I16 ? 2 : 4;
  }

  /** ImageJ keeps signed samples with 32768 added. */
  private static short[] turned(short[] samples, boolean signed) {
    if (!signed) return samples;
    short[] turned = new short[samples.length];
    for (int i = 0; i < turned.length; ++i) turned[i] = (short) (samples[i] ^ 0x8000);
    return turned;
  }

  private void write(Object pixels, long offset) {
    if (pixels instanceof byte[]) memory.write(offset, (byte[]) pixels, 0, ((byte[]) pixels).length);
    if (pixels instanceof float[]) memory.write(offset, (float[]) pixels, 0, ((float[]) pixels).length);
    if (pixels instanceof short[]) {
      memory.write(offset, turned((short[]) pixels, type == I16), 0, ((short[]) pixels).length);
    }
  }

  /** After the call: no view of it may be used any more. */
  void free() {
    memory.free();
  }

  void describe(Tamis.View view) {
    view.data = memory;
    view.size = size;
    view.type = type;
    view.rank = rank;
    view.name = name;
    if (!calibration.scaled()) return;
    view.spacing = new double[] {calibration.pixelDepth, calibration.pixelHeight, calibration.pixelWidth};
    view.unit = unit(calibration);
  }

  /** "micron" and "µm" are "um"; pixels are no unit. */
  static String unit(Calibration calibration) {
    String unit = calibration.getUnit().trim();
    if (unit.matches("µm|μm|micron|microns|micrometer|micrometers")) return "um";
    return unit.toLowerCase(Locale.ROOT).matches("pixels?|") ? null : unit;
  }

  /** One slice of a view as pixels of ImageJ. */
  private static Object pixels(Tamis.View view, int z) {
    int count = (int) (view.size[1] * view.size[2]);
    Pointer slice = view.data.share((long) z * count * bytes(view.type));
    switch (view.type) {
      case BOOL:
        byte[] flags = slice.getByteArray(0, count);
        for (int i = 0; i < count; ++i) flags[i] = (byte) -flags[i];
        return flags;
      case U8:
        return slice.getByteArray(0, count);
      case U16:
      case I16:
        return turned(slice.getShortArray(0, count), view.type == I16);
      case U32:
        int[] wide = slice.getIntArray(0, count);
        float[] floats = new float[count];
        for (int i = 0; i < count; ++i) floats[i] = wide[i] & 0xffffffffL;
        return floats;
      default:
        return slice.getFloatArray(0, count);
    }
  }

  /** A new image of a result's. */
  static ImagePlus image(String title, Tamis.View view, Calibration like) {
    ImageStack stack = new ImageStack((int) view.size[2], (int) view.size[1]);
    for (int z = 0; z < view.size[0]; ++z) stack.addSlice("", pixels(view, z));
    ImagePlus image = new ImagePlus(title, stack);
    Calibration calibration = like.copy();
    calibration.setFunction(Calibration.NONE, null, "Gray Value");
    if (view.type == I16) calibration.setSigned16BitCalibration();
    image.setCalibration(calibration);
    image.resetDisplayRange();
    return image;
  }

  /** Slice z of a view over pixels of the same type; only inside of the area, if there is one. */
  static void put(Tamis.View view, int z, ImageProcessor target, Roi area) {
    ImageProcessor old = area == null ? null : target.duplicate();
    Object made = pixels(view, z);
    System.arraycopy(made, 0, target.getPixels(), 0, target.getPixelCount());
    if (area == null) return;
    for (int y = 0; y < target.getHeight(); ++y) {
      for (int x = 0; x < target.getWidth(); ++x) {
        if (!area.contains(x, y)) target.setf(x, y, old.getf(x, y));
      }
    }
  }
}
