import type { Ids } from '../ids.ts'
import type { TemplateShape } from './shape.ts'

/** One template in one language, as the number's business account holds it. */
export interface Template extends TemplateShape {
  readonly id: string
  readonly name: string
  readonly language: string
  readonly category: string
  status: string
  qualityScore: string
  /** Milliseconds since the epoch, by the emulator's clock; null before it was ever approved. */
  approvedAt: number | null
  statusChangedAt: number
}

export interface NewTemplate extends TemplateShape {
  readonly name: string
  readonly language: string
  readonly category: string
  readonly status: string
}

/** The templates of the connected number: made and reviewed in the dashboard, never through the API. */
export interface Templates {
  add(template: NewTemplate, now: number): Template
  find(name: string, language: string): Template | undefined
  byId(id: string): Template | undefined
  languagesOf(name: string): readonly string[]
  setStatus(template: Template, status: string, now: number): void
  newestFirst(): readonly Template[]
}

export function createTemplates(ids: Ids): Templates {
  const all: Template[] = []
  return {
    add(template, now) {
      const added: Template = {
        ...template,
        id: ids.template(),
        qualityScore: 'UNKNOWN',
        approvedAt: template.status === 'APPROVED' ? now : null,
        statusChangedAt: now,
      }
      all.unshift(added)
      return added
    },
    find: (name, language) => all.find((it) => it.name === name && it.language === language),
    byId: (id) => all.find((it) => it.id === id),
    languagesOf: (name) => all.filter((it) => it.name === name).map((it) => it.language),
    setStatus(template, status, now) {
      template.status = status
      template.statusChangedAt = now
      if (status === 'APPROVED') template.approvedAt ??= now
    },
    newestFirst: () => all,
  }
}
