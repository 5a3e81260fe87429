import { isSignal } from '../../service/message-kinds.ts'
import { type Checks, checkMembers, expecting } from '../../bot/option-checks.ts'
import { bare } from '../../bot/routes/pattern.ts'
import { type ContextOf, tableOf } from '../../bot/routes/register.ts'
import type { MessagePreview } from '../../bot/routes/table.ts'
import type { Told } from '../../bot/routes/told.ts'
import type { Env, MessageContext } from '../../bot/switchhook.ts'

/** Only words that always mean "unsubscribe me". "cancel" is not one of them, because it may mean an appointment. */
const STOP = [
  ['stop', 'stopall', 'stop all', 'unsubscribe', 'opt out', 'revoke'],
  // Swahili
  ['acha', 'simamisha', 'jiondoe', 'nitoe', 'acha kutuma'],
  // French
  ['arrêt', 'arrêter', 'arrêtez', 'désabonner', 'désabonnement', 'me désabonner', 'se désabonner', 'désinscrire'],
  ['me désinscrire', 'désinscription'],
  // Spanish
  ['parar', 'detener', 'desuscribir', 'desuscribirme', 'desuscribirse', 'darme de baja', 'darse de baja'],
  ['cancelar suscripción', 'anular suscripción'],
  // Portuguese
  [
    'pare',
    'parar mensagens',
    'descadastrar',
    'descadastro',
    'desinscrever',
    'cancelar inscrição',
    'cancelar assinatura',
  ],
  // Arabic
  ['توقف', 'توقفوا', 'قف', 'أوقف', 'إيقاف', 'إلغاء الاشتراك', 'الغاء اشتراك'],
  // Hindi
  ['बंद', 'बंद करो', 'बंद करें', 'बन्द करें', 'रोको', 'रोकें', 'स्टॉप', 'सदस्यता समाप्त', 'सदस्यता रद्द', 'अनसब्सक्राइब'],
  // German
  ['stopp', 'abbestellen', 'newsletter abbestellen', 'austragen', 'newsletter abmelden'],
  // Indonesian
  ['berhenti', 'hentikan', 'berhenti berlangganan', 'batal langganan', 'berhenti langganan'],
].flat()
const START = ['start', 'subscribe', 'unstop']

const PLEASE = [
  ['please', 'pls', 'plz', 'kindly', 'tafadhali', "s'il vous plaît", "s'il te plaît", 'svp', 'stp', 'por favor'],
  ['من فضلك', 'رجاء', 'لو سمحت', 'कृपया', 'प्लीज', 'bitte', 'tolong', 'mohon'],
]
  .flat()
  .map(spaced)

/** The beginnings of words for marketing. */
const MARKETING =
  /^(?:promo|market|offer|ofert|offre|angebot|werbung|publici|advert|ads$|news|matangazo|ofa$|iklan|penawaran|عروض|العروض|اعلان|الاعلان|विज्ञापन|ऑफर)/

const LONGEST = 64

export interface OptOutWordOptions<C = MessageContext<Env>> {
  /** The reply to a stop word, or a function that makes it. Default: an English text. */
  stopped?: Told<C>
  /** The reply to START. Default: an English text. */
  started?: Told<C>
  /** More stop words, such as `'cancel'` or `'baja'`, if they mean nothing else in this bot. */
  also?: readonly string[]
  /** Built-in words to leave out, because they mean something else in this bot. */
  without?: readonly string[]
}

const isWords = (value: unknown) =>
  Array.isArray(value) && value.every((word) => typeof word === 'string' && formOf(word) !== '')
const words = expecting("a list of words such as ['cancel']", isWords)
const told = expecting(
  'content, or a function that makes it',
  (value) => ['string', 'object', 'function'].includes(typeof value) && value !== null,
)
const CHECKS: Checks<OptOutWordOptions> = { stopped: told, started: told, also: words, without: words }

/**
 * Unsubscribes customers who write STOP (UNSUBSCRIBE, ACHA, ARRÊT …). START, SUBSCRIBE or UNSTOP subscribes them again.
 * Announcements and sends of `kind: 'marketing'` skip customers who are unsubscribed. The words work before middleware,
 * in conversations and while a person has the customer. While a person has the customer, the bot sends no confirmation.
 *
 *     optOuts(bot, { stopped: 'You are unsubscribed. Reply START to subscribe again.', also: ['cancel'] })
 *
 * `start()` throws `options_invalid` if a route, a tapped id or a cancel word of the bot is one of these words.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function optOuts<B extends { readonly '~env'?: unknown }>(
  bot: B,
  o: OptOutWordOptions<ContextOf<B>> = {},
): void {
  checkMembers(o, 'optOuts()', CHECKS)
  const { also = [], without = [] } = o
  const { stopped = 'You are unsubscribed. Reply START to subscribe again.', started = 'You are subscribed again.' } = o
  const not = new Set(without.map(formOf))
  const formsOf = (given: readonly string[]) => new Set(given.map(formOf).filter((form) => !not.has(form)))
  const stops = formsOf([...STOP, ...also])
  const starts = formsOf(START)

  const meaningOf = (form: string) => (stops.has(form) ? 'out' : starts.has(form) ? 'in' : undefined)
  const wordIn = (text = '') => (text.length > LONGEST ? undefined : meaningOf(formOf(text)))
  const saysTap = ({ id, title }: NonNullable<MessagePreview['tapped']>) =>
    wordIn(title) ?? wordIn(id) ?? beforeMarketing(title, meaningOf) ?? beforeMarketing(id, meaningOf)
  tableOf(bot).optOut({
    words: new Set([...stops, ...starts]),
    formOf,
    told: { out: stopped, in: started },
    says: ({ kind, text, tapped }) => {
      if (isSignal(kind)) return undefined
      return tapped ? saysTap(tapped) : wordIn(text)
    },
  })
}

/** Returns the meaning of the word before a word for marketing, as in "Stop promotions" or STOP_PROMO. */
function beforeMarketing<T>(text: string | undefined, meaningOf: (form: string) => T | undefined): T | undefined {
  if (text === undefined || text.length > LONGEST) return undefined
  const parts = spaced(text).split(' ')
  const last = parts.findLastIndex((part) => MARKETING.test(part))
  const words = parts.slice(0, Math.max(0, last)).map((_, at) => meaningOf(parts.slice(0, at + 1).join('')))
  return words.find((meaning) => meaning !== undefined)
}

/** Returns the same form for `stop`, `Stop.`, `s.t.o.p`, `please, STOP!!! 🛑` and `stop stop`. */
function formOf(text: string): string {
  const said = spaced(text)
  const before = PLEASE.find((word) => said.startsWith(`${word} `))
  const rest = before === undefined ? said : said.slice(before.length + 1)
  const after = PLEASE.find((word) => rest.endsWith(` ${word}`))
  const parts = (after === undefined ? rest : rest.slice(0, -after.length - 1)).split(' ')
  return new Set(parts).size === 1 ? (parts[0] ?? '') : parts.join('')
}

function spaced(text: string): string {
  return bare(text)
    .replace(/[^\p{L}\p{M}\p{N}']+/gu, ' ')
    .trim()
}
