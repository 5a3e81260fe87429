/** An example, as the help of a command ends with it. */
export function example(command: string): string {
  return `\nExample:\n  $ ${command}\n`
}
