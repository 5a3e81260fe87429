import { describe, expect, it } from 'vitest'
import { checkedInHandler, checkedReply, checkedSend, slotOf } from '../../../src/bot/outbox/send-options.ts'
import { template } from '../../../src/bot/switchhook.ts'

const FALLBACK = template('order_ready', 'en', { body: ['7781'] })

/** The compiler finds most of these mistakes, but not in JavaScript. */
describe('the options of replies and sends', () => {
  it.each<[string, unknown, string]>([
    ['a fallback under another name', { outsidewindow: FALLBACK }, 'outsidewindow: this option does not exist'],
    ['a fallback that is a text', { outsideWindow: 'Come back' }, 'outsideWindow: expected a template'],
    ['no fallback by null', { outsideWindow: null }, 'outsideWindow: expected a template'],
    [
      'a reference that is a number',
      { ref: 7781 },
      'ref: expected a text, such as String(order.id), got a value of type number',
    ],
  ])('are refused equally for sends and replies: %s', (_, given, message) => {
    const refused = (method: string) =>
      expect.objectContaining({ message: expect.stringContaining(`${method}().${message}`) })
    expect(() => checkedReply(given as never)).toThrow(refused('reply'))
    expect(() => checkedInHandler(given as never)).toThrow(refused('send'))
    expect(() => checkedSend(Object.assign({ key: 'k' }, given))).toThrow(refused('send'))
  })

  it.each<[(given: never) => unknown, object, string]>([
    [checkedInHandler, { key: ['order', 7781] }, 'send().key: this option does not exist'],
    [checkedSend, { key: 'k', tx: 'postgres://db' }, 'send().tx: expected a client of the package pg'],
    [checkedSend, { key: 'k', tx: { query() {} }, wait: 'accepted' }, "send().wait: with tx it is 'stored'"],
    [checkedSend, {}, 'send().key: expected a text, or a list'],
  ])('are refused if they exclude each other: %# %j', (check, given, message) => {
    const refused = expect.objectContaining({ code: 'options_invalid', message: expect.stringContaining(message) })
    expect(() => check(given as never)).toThrow(refused)
  })

  it.each([[1_800_000], ['tomorrow'], ['-1h'], [''], [new Date('x')], [null]])(
    'are refused if at is neither a Date nor a span as text: %j',
    (at) => {
      expect(() => checkedSend({ key: 'k', at } as never)).toThrow('send().at: expected a')
      expect(() => checkedInHandler({ at } as never)).toThrow('send().at: expected a')
    },
  )

  it('make one slot of one key, whether its numbers are numbers or text', () => {
    expect(slotOf(['order', 7781])).toBe('["order","7781"]')
    expect(slotOf(['order', '7781'])).toBe(slotOf(['order', 7781]))
    expect(slotOf('order')).toBe(slotOf(['order']))
  })
})
