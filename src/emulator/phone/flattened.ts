import type { Interactive } from '../../contract/index.ts'

/** An interactive message as the service shows it: flattened, only the members that are there (SEND-18). */
export type FlattenedInteractive = {
  readonly type: 'buttons' | 'list' | 'cta_url'
  readonly body: string
  readonly footer?: string
  readonly buttons?: readonly { readonly id: string; readonly title: string }[]
  readonly button_text?: string
  readonly sections?: readonly {
    readonly title: string | null
    readonly rows: readonly { readonly id: string; readonly title: string; readonly description: string | null }[]
  }[]
  readonly cta?: { readonly display_text: string; readonly url: string }
}

export function flattened(interactive: Interactive): FlattenedInteractive {
  const { type, body, footer } = interactive
  return {
    type,
    body,
    ...(typeof footer === 'string' ? { footer } : {}),
    ...(type === 'buttons' ? { buttons: (interactive.buttons ?? []).map(({ id, title }) => ({ id, title })) } : {}),
    ...(type === 'list' ? listMembers(interactive) : {}),
    ...(type === 'cta_url' && interactive.cta ? { cta: linkMembers(interactive.cta) } : {}),
  }
}

function listMembers(interactive: Interactive) {
  return {
    button_text: interactive.button_text ?? 'View',
    sections: (interactive.sections ?? []).map((section) => ({
      title: section.title ?? null,
      rows: section.rows.map(({ id, title, description }) => ({ id, title, description: description ?? null })),
    })),
  }
}

function linkMembers(cta: NonNullable<Interactive['cta']>) {
  return { display_text: cta.display_text, url: cta.url }
}
