import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type OptOutWordOptions, optOuts } from '../../../src/features/comfort/comfort.ts'
import { compile } from '../../../src/bot/routes/compile.ts'
import { tableOf } from '../../../src/bot/routes/register.ts'
import { type Bot, createBot, routes, tap } from '../../../src/bot/switchhook.ts'

function saying(register: (bot: Bot) => void = () => {}, o: OptOutWordOptions = {}) {
  const bot = createBot() as unknown as Bot
  optOuts(bot, o)
  register(bot)
  const { optOuts: compiled } = compile(tableOf(bot))
  return {
    text: (text: string) => compiled?.says({ kind: 'text', text }),
    tap: (id: string, title?: string) => compiled?.says({ kind: 'button', tapped: { id, title } }),
    says: compiled?.says,
  }
}
const refusal = (register: (bot: Bot) => void, o?: OptOutWordOptions) => () => void saying(register, o)

describe('a text', () => {
  it.each([
    'STOP',
    'Stop.',
    'stop!!!',
    ' stop ',
    '"STOP"',
    '“stop”',
    '«Stop»',
    '*STOP*',
    '_stop_',
    'stop 🛑',
    '🛑🛑 STOP 🛑',
    'ＳＴＯＰ',
    'S.T.O.P.',
    'stop\n',
    'stop\u200b',
    'please stop',
    'stop please',
    'Stop, please!',
    'PLEASE, STOP!!',
    'pls stop 🙏🏽',
    'stop stop stop',
    'stopall',
    'Stop all',
    'opt-out',
    'Opt out',
    'OPTOUT.',
    'unsubscribe',
    'Un-subscribe',
    'revoke',
    'Acha',
    'tafadhali acha!',
    'Jiondoe.',
    'Arrêt',
    'ARRETER',
    'arrêtez',
    'stop svp',
    'désabonner',
    'Parar',
    'parar, por favor',
    'Cancelar suscripción',
    'pare.',
    'cancelar inscricao',
    'توقف',
    'توقف.',
    'تو\u0640قف',
    'إيقاف',
    'ايقاف',
    'إلغاء الاشتراك',
    'बंद करें',
    'रोकें।',
    'कृपया बंद करो',
    'Stopp!',
    'bitte stopp',
    'Abbestellen',
    'Berhenti',
    'tolong berhenti',
  ])('that only means it is a stop: %j', (text) => {
    expect(saying().text(text)).toBe('out')
  })

  it.each(['START', 'Start!', 'please start', 'subscribe', 'UNSTOP', '"start"'])('begins marketing: %j', (text) => {
    expect(saying().text(text)).toBe('in')
  })

  it.each([
    'bus stop',
    'stop by tomorrow?',
    'Stop sending me offers',
    'stop promotions',
    "don't stop",
    'when does it stop?',
    'non-stop',
    'stopped',
    'stops',
    'unstoppable',
    'cancel',
    'Cancel my appointment',
    'end',
    'quit',
    'no',
    'yes',
    'YES',
    'please',
    'thanks',
    '🛑',
    '.',
    '',
    'alto',
    'baja',
    'abmelden',
    'achat',
    'nataka kuacha',
    'arrêt de bus',
    'comparar',
    'متوقف',
    'starter',
    'start again',
    'When do you start?',
    'unsubscribed',
    'how do I unsubscribe',
    'a'.repeat(60_000),
  ])('that means more, or something else, is none: %j', (text) => {
    expect(saying().text(text)).toBeUndefined()
  })

  it('counts or not as the bot says', () => {
    const { text } = saying(() => {}, { also: ['cancel', 'Baja'], without: ['acha', 'START'] })
    expect(['Cancel!', 'BAJA', 'stop', 'acha', 'start', 'subscribe'].map(text)).toEqual([
      'out',
      'out',
      'out',
      undefined,
      undefined,
      'in',
    ])
  })

  it('that is an edit, or another signal, is none', () => {
    for (const kind of ['edited', 'reaction', 'deleted', 'system', 'sticker', 'call'])
      expect(saying().says?.({ kind, text: 'STOP' })).toBeUndefined()
  })
})

describe('a tap', () => {
  it.each([
    ['x', 'STOP'],
    ['x', 'Stop promotions'],
    ['x', 'Unsubscribe from offers'],
    ['x', 'Stop all promos'],
    ['stop', 'No more'],
    ['STOP_PROMOTIONS', 'No more'],
    ['x', 'Acha matangazo'],
    ['x', 'Arrêter les offres'],
    ['x', 'Stop Werbung'],
  ] as const)(
    'on a quick reply whose title or payload is a word, or begins with one and names marketing: %j %j',
    (id, title) => {
      expect(saying().tap(id, title)).toBe('out')
    },
  )

  it.each([
    ['x', 'Stop the booking'],
    ['x', 'Promotions'],
    ['x', 'Stop reminders'],
    ['x', 'Bus stop offers'],
    ['no_stop_promo', 'Later'],
    ['x', undefined],
  ] as const)('on another one is none: %j %j', (id, title) => {
    expect(saying().tap(id, title)).toBeUndefined()
  })

  it('that a route handles says nothing else', () => {
    const Order = tap('order', z.object({ id: z.string() }))
    const { tap: taps } = saying((bot) => {
      bot.tapped('order:{id}:{what}', () => {})
      bot.tapped(Order, () => {})
    })
    expect(taps('order:7:stop', 'Stop')).toBeUndefined()
    expect(taps('~order.abc', 'Stop')).toBeUndefined()
    expect(taps('~orders.abc', 'Stop')).toBe('out')
  })
})

describe('a word that something else of the bot uses', () => {
  it.each<[string, (bot: Bot) => void]>([
    ['hears:Stop!', (bot) => bot.hears('Stop!', () => {})],
    ['hears:/x/|acha', (bot) => bot.hears([/x/, 'acha'], () => {})],
    ['hears:=START', (bot) => bot.hears('START', () => {}, { exact: true })],
    ['tapped:stop', (bot) => bot.tapped('stop', () => {})],
    ['whileTakenOver/hears:please stop', (bot) => bot.whileTakenOver((b) => b.hears('please stop', () => {}))],
    [
      'the cancelWords of the conversation "c"',
      (bot) => bot.conversation('c', { version: 1, timeout: '1m', cancelWords: ['cancel', 'acha'] }, async () => {}),
    ],
    ['news/hears:unsubscribe', (bot) => bot.use(routes<Bot>('news').hears('unsubscribe', () => {}))],
  ])('is refused with both places: %s', (place, register) => {
    expect(refusal(register)).toThrow(`is used by optOuts() and by ${place}:`)
    expect(refusal(register)).toThrow(expect.objectContaining({ code: 'options_invalid' }))
  })

  it('is not refused if the bot leaves it out, nor for an expression or a pattern', () => {
    expect(refusal((bot) => bot.hears('acha', () => {}), { without: ['ACHA'] })).not.toThrow()
    expect(refusal((bot) => void bot.hears(/stop/, () => {}).tapped('stop:{id}', () => {}))).not.toThrow()
  })

  it('is refused as an option: a second call, routes that are mounted, and what is no list of words', () => {
    expect(refusal((bot) => optOuts(bot))).toThrow('call it once')
    const mounted = routes<Bot>('news')
    optOuts(mounted)
    expect(refusal((bot) => bot.use(mounted))).toThrow('pass the bot itself')
    for (const o of [{ also: 'cancel' }, { without: ['!'] }, { stopped: 1 }, { words: [] }])
      expect(refusal(() => {}, o as never)).toThrow('optOuts()')
    expect(() => optOuts({})).toThrow('expected a bot from createBot()')
  })
})
