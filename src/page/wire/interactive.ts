import type { Interactive, TappedOption, ThreadItem } from './types.ts'

/** What the customer tapped, where the message is a tap. */
export function tappedIn({ interactive }: ThreadItem): TappedOption | undefined {
  return interactive && 'id' in interactive ? interactive : undefined
}

/** What the message offers to tap, where it is one that offers. */
export function offeredIn({ interactive }: ThreadItem): Interactive | undefined {
  return interactive && 'body' in interactive ? interactive : undefined
}
