package tamis.imagej;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import ij.IJ;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One call of an operation, and what it gives; to be closed, which frees the images. */
final class Call implements AutoCloseable {
  private final Tamis.Functions tamis = Tamis.functions();
  private final Pointer result;

  /** Escape ends it: then it is refused as cancelled. The images are freed. */
  Call(String operation, Map<String, String> parameters, List<Samples> images) throws Tamis.Refused {
    PointerByReference context = new PointerByReference();
    PointerByReference made = new PointerByReference();
    Tamis.check(tamis.tamis_context_new(context));
    // Held here as long as native code may call it.
    Tamis.Progress progress = (user, stage, done, total) -> {
      if (total > 0) IJ.showProgress((double) done / total);
      return IJ.escapePressed() ? 1 : 0;
    };
    try {
      Tamis.check(tamis.tamis_context_on_progress(context.getValue(), progress, null));
      Tamis.check(tamis.tamis_run(context.getValue(), operation, texts(parameters), views(images), images.size(),
          made));
    } finally {
      tamis.tamis_context_free(context.getValue());
      for (Samples image : images) image.free();
      IJ.showProgress(1.0);
    }
    result = made.getValue();
  }

  private static String[] texts(Map<String, String> parameters) {
    List<String> texts = new ArrayList<>();
    for (Map.Entry<String, String> parameter : parameters.entrySet()) {
      texts.add(parameter.getKey());
      texts.add(parameter.getValue());
    }
    return texts.toArray(new String[0]);
  }

  private static Tamis.View[] views(List<Samples> images) {
    if (images.isEmpty()) return null;
    Tamis.View[] views = (Tamis.View[]) new Tamis.View().toArray(images.size());
    for (int i = 0; i < views.length; ++i) images.get(i).describe(views[i]);
    return views;
  }

  /** Their names, and views of memory that is there until this is closed. */
  Map<String, Tamis.View> images() throws Tamis.Refused {
    Map<String, Tamis.View> images = new LinkedHashMap<>();
    for (long i = 0; i < tamis.tamis_result_images(result); ++i) {
      PointerByReference name = new PointerByReference();
      Tamis.View view = new Tamis.View();
      Tamis.check(tamis.tamis_result_image(result, i, name, view));
      images.put(name.getValue().getString(0, "UTF-8"), view);
    }
    return images;
  }

  Map<String, double[]> columns() throws Tamis.Refused {
    Map<String, double[]> columns = new LinkedHashMap<>();
    int rows = (int) tamis.tamis_result_rows(result);
    for (long i = 0; i < tamis.tamis_result_columns(result); ++i) {
      PointerByReference name = new PointerByReference();
      PointerByReference values = new PointerByReference();
      Tamis.check(tamis.tamis_result_column(result, i, name, values));
      double[] numbers = rows == 0 ? new double[0] : values.getValue().getDoubleArray(0, rows);
      columns.put(name.getValue().getString(0, "UTF-8"), numbers);
    }
    return columns;
  }

  Map<String, Object> figures() {
    return Json.object(Json.read(tamis.tamis_result_json(result)));
  }

  @Override
  public void close() {
    tamis.tamis_result_free(result);
  }
}
