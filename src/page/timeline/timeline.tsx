export function Timeline() {
  return <section class="pane timeline" aria-label="Timeline" />
}
