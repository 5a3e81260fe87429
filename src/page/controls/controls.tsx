export function Controls() {
  return <section class="pane controls" aria-label="Controls" />
}
