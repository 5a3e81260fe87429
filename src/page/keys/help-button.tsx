export function HelpButton() {
  return null
}
