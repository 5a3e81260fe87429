import type { Assumptions } from './assumptions.ts'
import type { Ids } from './ids.ts'
import type { CodeTemplate, TemplateShape } from './template-shape.ts'

/** One template in one language, as the number's business account holds it. */
export interface Template extends NewTemplate {
  readonly id: string
  status: string
  qualityScore: QualityScore
  synchronised: boolean
  /** Milliseconds since the epoch, by the emulator's clock; null before the first approval. */
  approvedAt: number | null
  statusChangedAt: number
}

export const QUALITY_SCORES = ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] as const
type QualityScore = (typeof QUALITY_SCORES)[number]

export interface NewTemplate extends TemplateShape {
  /** The id of the connected number that has the template. */
  readonly number: string
  readonly name: string
  readonly language: string
  readonly category: string
  readonly status: string
  readonly qualityScore: QualityScore
  /** The service has heard of the template from the upstream platform; before that, the template counts as sendable (TPL-05). */
  readonly synchronised: boolean
  /** Only of a template for one-time codes. */
  readonly code?: CodeTemplate
}

export interface TemplateChange {
  readonly status?: string | undefined
  readonly qualityScore?: QualityScore | undefined
  readonly synchronised?: boolean | undefined
}

/** The templates of one connected number: made and reviewed in the dashboard, never through the API. */
export interface Templates {
  find(name: string, language: string): Template | undefined
  languagesOf(name: string): readonly string[]
  newestFirst(): readonly Template[]
}

export type AllTemplates = ReturnType<typeof createTemplates>

export function createTemplates(ids: Pick<Ids, 'template'>) {
  const all: Template[] = []
  return {
    add(template: NewTemplate, now: number): Template {
      const added: Template = {
        ...template,
        id: ids.template(),
        approvedAt: template.status === 'APPROVED' ? now : null,
        statusChangedAt: now,
      }
      all.unshift(added)
      return added
    },
    byId: (id: string) => all.find((it) => it.id === id),
    change(template: Template, change: TemplateChange, now: number): void {
      const status = change.status ?? template.status
      if (status !== template.status) template.statusChangedAt = now
      template.status = status
      template.qualityScore = change.qualityScore ?? template.qualityScore
      template.synchronised = change.synchronised ?? template.synchronised
      if (template.status === 'APPROVED') template.approvedAt ??= now
    },
    newestFirst: (): readonly Template[] => all,
    of(number: string): Templates {
      const own = () => all.filter((it) => it.number === number)
      return {
        find: (name, language) => own().find((it) => it.name === name && it.language === language),
        languagesOf: (name) =>
          own()
            .filter((it) => it.name === name)
            .map((it) => it.language),
        newestFirst: own,
      }
    },
  }
}

const SENT = ['APPROVED', 'FLAGGED', 'LOCKED']

const REASONS: ReadonlyMap<string, string> = new Map([
  ['PENDING', 'The template is still in review.'],
  ['REJECTED', 'The template was rejected in review.'],
  ['PAUSED', 'The template is paused.'],
  ['DISABLED', 'The template is disabled.'],
  ['ARCHIVED', 'The template is archived.'],
])

/** Why a send of this template would be refused now, in plain words; null if it would be sent (SEND-15, TPL-04). */
export function unsendableReason(
  template: Pick<Template, 'status'>,
  assumptions: Pick<Assumptions, 'unknownTemplateState' | 'pendingTemplate'>,
): string | null {
  if (SENT.includes(template.status)) return null
  if (template.status === 'PENDING' && assumptions.pendingTemplate === 'send') return null
  const reason = REASONS.get(template.status)
  if (reason !== undefined) return reason
  return assumptions.unknownTemplateState === 'send' ? null : `The template is in the state ${template.status}.`
}
