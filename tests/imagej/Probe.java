import ij.IJ;
import ij.ImageJ;
import ij.ImagePlus;
import ij.gui.MultiLineLabel;
import java.awt.Component;
import java.awt.Container;
import java.awt.Dialog;
import java.awt.Window;
import java.lang.reflect.Field;

/** Runs a command of the menu in a real ImageJ and prints what the dialog that opens says: Probe FILE COMMAND OPTIONS. */
public class Probe {
  public static void main(String[] words) throws Exception {
    new ImageJ(ImageJ.NO_SHOW);
    ImagePlus image = IJ.openImage(words[0]);
    new Thread(() -> IJ.run(image, words[1], words[2])).start();
    for (int tries = 0; tries < 200; ++tries) {
      Thread.sleep(100);
      for (Window window : Window.getWindows()) {
        if (!(window instanceof Dialog) || !window.isVisible()) continue;
        System.out.println(((Dialog) window).getTitle());
        print(window);
        System.exit(0);
      }
    }
    System.exit(1);
  }

  private static void print(Container container) throws Exception {
    for (Component part : container.getComponents()) {
      if (part instanceof MultiLineLabel) {
        Field lines = MultiLineLabel.class.getDeclaredField("lines");
        lines.setAccessible(true);
        System.out.println(String.join(" ", (String[]) lines.get(part)).trim());
      } else if (part instanceof Container) {
        print((Container) part);
      }
    }
  }
}
