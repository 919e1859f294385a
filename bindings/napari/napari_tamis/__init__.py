"""The operations of tamis as widgets of napari."""
