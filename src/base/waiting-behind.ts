/** Says how many items wait behind one whose back-off blocks their lane. */
export function waitingBehind(kind: string, count: number): string {
  const [thing, things] = kind === 'message' ? ['message', 'messages'] : ['event', 'events']
  return count === 1
    ? `1 ${thing} of this customer waits behind it`
    : `${count} ${things} of this customer wait behind it`
}
