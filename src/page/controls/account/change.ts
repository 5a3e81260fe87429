import { signal } from '@preact/signals'
import { attempt } from '../../state/notice.ts'
import { change } from '../../wire/control.ts'
import type { Account } from '../../wire/types.ts'

/** The token that was made last: nobody sees it again. */
export const newToken = signal<string | undefined>(undefined)

/** `done` where that was taken. */
export function changeAccount(what: object, done?: () => void): void {
  attempt(async () => {
    await change('PUT', 'account', what)
    done?.()
  })
}

/** A new token for the number with that id: the old one ends at once. */
export function rotate(id: string): void {
  attempt(async () => {
    const { numbers } = await change<Account>('PUT', 'account', { rotate: id })
    newToken.value = numbers.find((number) => number.id === id)?.accessToken
  })
}
