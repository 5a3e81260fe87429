import { signal } from '@preact/signals'
import { attempt } from '../../state/notice.ts'
import { change } from '../../wire/control.ts'
import type { Subscription } from '../../wire/types.ts'

/** The secret of the endpoint that was registered last: nobody sees it again. */
export const newSecret = signal<{ readonly url: string; readonly secret: string } | undefined>(undefined)

/** Registers an address, or the same one anew under a new secret; `done` where that was taken. */
export function register(url: string, done?: () => void): void {
  attempt(async () => {
    const { secret } = await change<Subscription & { readonly secret: string }>('POST', 'subscriptions', { url })
    newSecret.value = { url, secret }
    done?.()
  })
}

export function unsubscribe(id: string): void {
  attempt(() => change('DELETE', `subscriptions/${id}`))
}
