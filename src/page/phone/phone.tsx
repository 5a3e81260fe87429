export function Phone() {
  return <section class="pane phone" aria-label="Phone" />
}
