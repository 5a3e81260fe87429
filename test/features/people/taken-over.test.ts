import { describe, expect, it } from 'vitest'
import { prolongedBy, takenOverAfter, type TakenOver } from '../../../src/features/people/store/taken-over.ts'
import { isInForce } from '../../../src/store/database/silence.ts'

describe('the rules of take-overs', () => {
  const agent = (since: number, until: number): TakenOver => ({ by: 'agent', since, until })
  const person = (since: number, until: number): TakenOver => ({ by: 'person', since, until })

  it.each<[string, TakenOver | undefined, TakenOver, TakenOver | undefined]>([
    ['the first take-over stands', undefined, agent(10, 90), agent(10, 90)],
    ['a later BOT prolongs it', agent(10, 90), agent(20, 100), agent(20, 100)],
    ['a later BOT also shortens it', agent(10, 90), agent(20, 50), agent(20, 50)],
    ['a BOT that came late changes nothing', agent(10, 90), agent(9, 200), undefined],
    ['a hand-over counts whenever it began', agent(10, 90), person(9, 200), person(9, 200)],
    ['a hand-over does not shorten the agent’s time', agent(10, 90), person(20, 50), person(20, 90)],
    ['a BOT does not shorten a hand-over', person(10, 90), agent(20, 50), agent(20, 90)],
    ['a hand-over that is given back at once ends it', agent(10, 90), person(20, 20), person(20, 20)],
    ['a hand-over shortens another hand-over', person(10, 90), person(20, 50), person(20, 50)],
  ])('%s [B GEN-07]', (_title, known, asked, after) => {
    expect(takenOverAfter(known, asked, undefined)).toEqual(after)
  })

  it('an older BOT that comes late changes nothing once the app has taken the customer back [B GEN-07]', () => {
    expect(takenOverAfter(agent(10, 50), agent(40, 140), 50)).toBeUndefined()
    expect(takenOverAfter(undefined, agent(40, 140), 50)).toBeUndefined()
    expect(takenOverAfter(agent(10, 50), agent(50, 150), 50)).toEqual(agent(50, 150))
    expect(takenOverAfter(agent(10, 50), person(40, 140), 50)).toEqual(person(40, 140))
  })

  it('is in force until its end [B GEN-07]', () => {
    expect([isInForce(agent(10, 50), 50), isInForce(agent(10, 51), 50), isInForce(undefined, 50)]).toEqual([
      false,
      true,
      false,
    ])
  })

  it.each<[string, TakenOver | undefined, TakenOver | undefined, number, number]>([
    ['the whole of the first one', undefined, person(20, 90), 20, 70],
    ['the difference to the one before', person(10, 60), person(20, 90), 20, 30],
    ['nothing of one that is over', person(10, 15), person(20, 90), 20, 70],
    ['less, if it ends early', person(20, 90), undefined, 40, -50],
    ['nothing, if it ended before', person(20, 90), undefined, 95, 0],
  ])('prolongs an open question by %s', (_title, before, after, at, ms) => {
    expect(prolongedBy(before, after, at)).toBe(ms)
  })
})
