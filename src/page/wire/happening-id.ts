/** Of a happening's id: the mark of the emulator's run, and the number that grows from one to the next. */
export function readId(id: string): { readonly mark: string; readonly number: number } {
  const [mark = '', number = 0] = id.split('-')
  return { mark, number: Number(number) }
}
