import type { ContextMethods } from '../../bot/feature.ts'
import { AttemptOver } from '../../bot/outbox/send.ts'

/** A member of a message's context. */
export interface AsksForPerson {
  /** Puts the customer into the queue for a person, while the bot continues: for instance outside opening hours. */
  askForPerson(): Promise<void>
}

export const contextMethods: ContextMethods<AsksForPerson> = {
  askForPerson:
    ({ who, fence, deps: { store, clock } }) =>
    async () => {
      if (!(await store.askForPerson(who, { at: clock.service(), now: clock.wall() }, fence))) throw new AttemptOver()
    },
}
