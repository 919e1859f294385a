package tamis.imagej;

import com.sun.jna.Callback;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.ptr.PointerByReference;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The native library, include/tamis/tamis.h, and what its operations say of themselves. */
final class Tamis {
  static final int CANCELLED = 3;
  /** TAMIS_ABI of the header that this class was written for. */
  private static final int ABI = 3;

  interface Functions extends Library {
    int tamis_abi();

    String tamis_version();

    String tamis_message();

    String tamis_operations();

    int tamis_context_new(PointerByReference context);

    void tamis_context_free(Pointer context);

    int tamis_context_on_progress(Pointer context, Progress progress, Pointer user);

    int tamis_run(Pointer context, String operation, String[] parameters, View[] images, long count,
        PointerByReference result);

    void tamis_result_free(Pointer result);

    long tamis_result_images(Pointer result);

    int tamis_result_image(Pointer result, long index, PointerByReference name, View image);

    long tamis_result_columns(Pointer result);

    long tamis_result_rows(Pointer result);

    int tamis_result_column(Pointer result, long index, PointerByReference name, PointerByReference values);

    String tamis_result_json(Pointer result);
  }

  /** Not 0: the call is to end. */
  interface Progress extends Callback {
    int tell(Pointer user, String stage, long done, long total);
  }

  /** tamis_view. */
  @Structure.FieldOrder({"data", "size", "stride", "type", "rank", "spacing", "unit", "name", "memory", "gpu", "placement"})
  public static class View extends Structure {
    public Pointer data;
    public long[] size = new long[3];
    public long[] stride = new long[3];
    public int type;
    public int rank;
    public double[] spacing = new double[3];
    public String unit;
    public String name;
    public int memory;
    public int gpu;
    public Pointer placement;
  }

  /** What the library refuses, in its words. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1;
    final boolean cancelled;

    Refused(String words, boolean cancelled) {
      super(words);
      this.cancelled = cancelled;
    }
  }

  private static Functions functions;
  private static Map<String, Object> descriptions;

  private Tamis() {}

  /** Loads the library at the first call. Refused: there is none for this machine, or of another version. */
  static synchronized Functions functions() throws Refused {
    if (functions != null) return functions;
    Functions loaded;
    try {
      loaded = Native.load(file(), Functions.class,
          Collections.singletonMap(Library.OPTION_STRING_ENCODING, "UTF-8"));
    } catch (IOException | UnsatisfiedLinkError error) {
      throw new Refused("The native library of tamis cannot be loaded: " + firstLine(error), false);
    } catch (NoClassDefFoundError error) {
      throw new Refused("tamis needs JNA: jna.jar in the folder jars or plugins of ImageJ", false);
    }
    requireVersion(loaded);
    functions = loaded;
    return functions;
  }

  private static void requireVersion(Functions loaded) throws Refused {
    int abi;
    try {
      abi = loaded.tamis_abi();
    } catch (UnsatisfiedLinkError error) {
      abi = 0;
    }
    if (abi == ABI) return;
    throw new Refused("The native library of tamis has version " + abi + " of its interface, tamis_.jar needs " + ABI
        + ": install both from one version of tamis", false);
  }

  private static String firstLine(Throwable error) {
    return String.valueOf(error.getMessage()).split("\n")[0];
  }

  /** The library that the property or variable names, or that of the jar, unpacked with what it needs. */
  private static String file() throws IOException {
    String named = System.getProperty("tamis.library", System.getenv("TAMIS_LIBRARY"));
    if (named != null) return named;
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String folder = "/native/" + system + "-" + System.getProperty("os.arch") + "/";
    InputStream list = Tamis.class.getResourceAsStream(folder + "libraries");
    if (list == null) {
      throw new IOException("tamis_.jar has none for " + System.getProperty("os.name") + " on "
          + System.getProperty("os.arch") + "; the property tamis.library names one");
    }
    File unpacked = Files.createTempDirectory("tamis").toFile();
    unpacked.deleteOnExit();
    String last = null;
    try (BufferedReader names = new BufferedReader(new InputStreamReader(list, StandardCharsets.UTF_8))) {
      // Each after those that it needs, which the loader then has already.
      for (String name = names.readLine(); name != null; name = names.readLine()) {
        if (last != null) NativeLibrary.getInstance(last);
        File target = new File(unpacked, name);
        try (InputStream bytes = Tamis.class.getResourceAsStream(folder + name)) {
          Files.copy(bytes, target.toPath());
        }
        target.deleteOnExit();
        last = target.getPath();
      }
    }
    return last;
  }

  private static synchronized Map<String, Object> descriptions() throws Refused {
    if (descriptions == null) descriptions = Json.object(Json.read(functions().tamis_operations()));
    return descriptions;
  }

  /** The description of an operation. */
  static Map<String, Object> operation(String name) throws Refused {
    List<Object> all = Json.list(descriptions().get("operations"));
    for (Object operation : all) {
      if (Json.object(operation).get("name").equals(name)) return Json.object(operation);
    }
    throw new Refused(name + ": the native library has no such operation", false);
  }

  static void check(int status) throws Refused {
    if (status != 0) throw new Refused(functions().tamis_message(), status == CANCELLED);
  }
}
