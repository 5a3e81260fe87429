import { type Account, firstNumber } from '../service/account.ts'
import type { State } from '../state.ts'
import { iso } from './event.ts'
import { publishDeclared } from './publish.ts'

/** `account.error`: something has become wrong with the number's account since `before`. */
export function tellTroubles(state: State, before: Pick<Account, 'numbers' | 'plan' | 'suspended'>): void {
  const { account } = state
  if (account.suspended && !before.suspended) tell('account_suspended', 'The workspace was suspended.')
  if (!account.plan.api && before.plan.api) tell('plan_feature_locked', 'The plan no longer grants API access.')
  for (const number of account.numbers) {
    const known = before.numbers.find(({ id }) => id === number.id)
    if (known?.connected && !number.connected) tell('number_disconnected', 'The number was disconnected.', number)
  }

  function tell(code: string, message: string, number = firstNumber(account)): void {
    const occurredAt = iso(state.clock.now())
    publishDeclared(
      state,
      { name: 'account.error', customer: undefined, number },
      { error: { code, message }, occurred_at: occurredAt },
    )
  }
}
