import type { Sent } from './message-view.ts'
import type { RecordedReply, RecordedStep } from './recording.ts'

/** Describes a step, such as `255712000101 says "hours"`. */
export function describeStep(step: RecordedStep): string {
  if (step.kind === 'time') return `${step.by} pass`
  const to = step.number === undefined ? '' : ` to ${step.number}`
  const who = step.customer === undefined ? '' : `${step.customer} `
  return `${who}${describeAct(step)}${to}`
}

function describeAct(step: Exclude<RecordedStep, { kind: 'time' }>): string {
  switch (step.kind) {
    case 'text':
      return `says ${JSON.stringify(step.text)}`
    case 'tap':
      return `taps ${JSON.stringify(step.option)}`
    case 'media': {
      const { kind, caption, url } = step.media
      return `sends ${kind} ${caption === undefined ? url : JSON.stringify(caption)}`
    }
    case 'delivery':
      return step.text === undefined ? step.event : `${step.event} ${JSON.stringify(step.text)}`
  }
}

export function replyOf({ to, text, kind, template, options, media, link, refused }: Sent): RecordedReply {
  const url = media?.url ?? link?.url
  return {
    to,
    ...(kind !== 'text' && !template && { kind }),
    ...(text !== '' && { text }),
    ...(options.length > 0 && { options: options.map(({ title }) => title) }),
    ...(template && { template: { name: template.name, language: template.language, body: template.body } }),
    ...(url !== undefined && { url }),
    ...(refused && { refused: refused.code }),
  }
}

/** Describes a message, such as `"Which one?" [Track order] [Hours] to 255712000101`. */
export function describeReply({ to, text, kind, template, options, url, refused }: RecordedReply): string {
  const parts = [
    kind,
    template && `template ${template.name}${template.language === undefined ? '' : ` (${template.language})`}`,
    template?.body && template.body.length > 0 && `with ${template.body.map((one) => JSON.stringify(one)).join(', ')}`,
    text !== undefined && JSON.stringify(text),
    options && (options.length > 0 ? options.map((title) => `[${title}]`).join(' ') : 'without options'),
    url,
    to !== undefined && `to ${to}`,
    refused !== undefined && `refused as ${refused}`,
  ]
  return parts.filter(Boolean).join(' ') || 'any message'
}
