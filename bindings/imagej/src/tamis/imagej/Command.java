package tamis.imagej;

import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.Undo;
import ij.WindowManager;
import ij.gui.DialogListener;
import ij.gui.GenericDialog;
import ij.gui.Roi;
import ij.plugin.filter.ExtendedPlugInFilter;
import ij.plugin.filter.PlugInFilterRunner;
import ij.process.ImageProcessor;
import java.awt.AWTEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A command of the menu: any operation of tamis, by its name. Its dialog is made of the operation's description. */
public class Command implements ExtendedPlugInFilter, DialogListener {
  private ImagePlus image;
  private Map<String, Object> operation;
  private Fields fields;
  private Part part;
  private boolean filters;
  private Thread worker;

  /** `name` is that of plugins.config. */
  @Override
  public int setup(String name, ImagePlus image) {
    this.image = image;
    try {
      operation = Tamis.operation(name);
    } catch (Tamis.Refused refusal) {
      IJ.error("tamis", refusal.getMessage());
      return DONE;
    }
    filters = Boolean.TRUE.equals(operation.get("filter"));
    return DOES_ALL;
  }

  /** The runner then ends the preview, puts back what it has changed, and calls run(). */
  @Override
  public int showDialog(ImagePlus image, String command, PlugInFilterRunner runner) {
    fields = new Fields(operation);
    part = new Part(image);
    GenericDialog dialog = new GenericDialog(command.replace("...", ""));
    part.ask(dialog);
    fields.ask(dialog);
    if (filters && fields.takesOne()) dialog.addPreviewCheckbox(runner);
    dialog.addDialogListener(this);
    dialog.showDialog();
    if (dialog.wasCanceled()) return DONE;
    worker = Thread.currentThread();
    return DOES_ALL | NO_CHANGES;  // run() changes what is to be changed
  }

  /** ImageJ calls it for each change, at the end, and in macros. */
  @Override
  public boolean dialogItemChanged(GenericDialog dialog, AWTEvent event) {
    part.read(dialog);
    fields.read(dialog);
    return true;
  }

  @Override
  public void setNPasses(int passes) {}

  /** In the thread of the dialog all the work; in that of the preview what is seen. */
  @Override
  public void run(ImageProcessor slice) {
    if (Thread.currentThread() == worker) {
      work();
    } else {
      preview(slice);
    }
  }

  /** The slice that is seen, by itself. */
  private void preview(ImageProcessor slice) {
    try {
      ImageStack alone = new ImageStack(slice.getWidth(), slice.getHeight());
      alone.addSlice("", slice.getPixels());
      IJ.resetEscape();
      try (Call call = call(alone, 2)) {
        Samples.put(call.images().get("out"), 0, slice, area());
      }
      IJ.showStatus("");
    } catch (Tamis.Refused refusal) {
      IJ.showStatus(refusal.getMessage());
    }
  }

  private Roi area() {
    Roi roi = image.getRoi();
    return roi != null && roi.isArea() ? roi : null;
  }

  private Call call(ImageStack stack, int rank) throws Tamis.Refused {
    List<Samples> images = new ArrayList<>();
    images.add(new Samples(stack, image.getCalibration(), rank));
    for (Map.Entry<String, String> named : fields.furtherImages().entrySet()) {
      ImagePlus other = WindowManager.getImage(named.getValue());
      if (other == null) throw new Tamis.Refused(named.getValue() + ": no such image is open", false);
      images.add(new Samples(other.getStack(), other.getCalibration(), rank).called(named.getKey()));
    }
    boolean bounded = false;
    for (Object data : Json.list(operation.get("by_name"))) bounded |= Json.object(data).get("name").equals("roi");
    if (bounded && area() != null) {
      images.add(Samples.region(area(), stack.getWidth(), stack.getHeight(), rank));
    }
    return new Call((String) operation.get("name"), fields.given(), images);
  }

  private void work() {
    String name = (String) operation.get("name");
    IJ.resetEscape();
    IJ.showStatus("tamis " + name + " (Escape ends it)");
    long start = System.nanoTime();
    try {
      part.check();
      if (filters) {
        filter();
      } else {
        measure();
      }
      IJ.showStatus(String.format("tamis %s: %.2f s", name, (System.nanoTime() - start) * 1e-9));
    } catch (Tamis.Refused refusal) {
      IJ.showProgress(1.0);
      if (refusal.cancelled) {
        IJ.showStatus("tamis " + name + ": cancelled, the image is as it was");
      } else {
        IJ.error("tamis " + name, refusal.getMessage());
      }
    } catch (OutOfMemoryError error) {
      IJ.error("tamis " + name, "too little memory: Edit > Options > Memory & Threads");
    }
  }

  /** In place, as ImageJ's own filters; a single slice can be undone. */
  private void filter() throws Tamis.Refused {
    int[] indices = part.indices();
    try (Call call = call(part.stack(), part.rank())) {
      Tamis.View made = call.images().get("out");
      if (indices.length == 1) {
        image.getProcessor().snapshot();
        Undo.setup(Undo.FILTER, image);
      }
      for (int z = 0; z < indices.length; ++z) {
        boolean shown = indices[z] == image.getCurrentSlice();
        Samples.put(made, z, shown ? image.getProcessor() : image.getStack().getProcessor(indices[z]), area());
      }
      image.updateAndDraw();
      image.changes = true;
    }
  }

  /** What makes no image of the same kind opens windows of its own; of slices that are each alone one for each. */
  private void measure() throws Tamis.Refused {
    ImageStack stack = part.stack();
    if (part.isVolume() || stack.getSize() == 1) {
      show(stack, part.isVolume() ? 3 : 2, "");
      return;
    }
    for (int z = 1; z <= stack.getSize(); ++z) {
      ImageStack alone = new ImageStack(stack.getWidth(), stack.getHeight());
      alone.addSlice("", stack.getPixels(z));
      show(alone, 2, " slice " + z);
    }
  }

  private void show(ImageStack stack, int rank, String which) throws Tamis.Refused {
    try (Call call = call(stack, rank)) {
      new Windows(image, (String) operation.get("name"), which).show(call, stack);
    }
  }
}
