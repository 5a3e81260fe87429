import type { Handset } from '../wire/types.ts'

/** What is unusual about a handset, in words. */
export function odditiesOf({ online, receipts, blocked }: Handset): string[] {
  return [!online && 'offline', !receipts && 'no read receipts', blocked && 'blocks the business'].filter(
    (word) => typeof word === 'string',
  )
}
