import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Sentence } from '../ui/components/body.tsx'
import { runAction, toast } from '../ui/components/messages.ts'
import { forms } from './state/service.ts'
import { change, CONTROL_PATH } from './wire/control.ts'
import { type Editor, editorOf, inside, type JsonSchema, memberOf, readForm, toText } from './wire/form-schema.ts'

export interface FormSpec {
  readonly title: string
  /** The route as `METHOD path`, as the control API lists it. */
  readonly route: string
  /** The path with its parameter filled in. Default: the path in `route`. */
  readonly path?: string
  readonly only?: readonly string[]
  /** The current values of a setting. If given, each change is saved at once. */
  readonly current?: object | undefined
  readonly initial?: object
  readonly hint?: string
  /** Called with the form's value. If given, no request to `route` is sent. */
  readonly send?: (value: object) => Promise<unknown>
  readonly onDone?: (answer: unknown) => void
}

export function schemaOf(route: string): JsonSchema | undefined {
  const [method, path] = route.split(' ')
  return forms.value.find((one) => one.method === method && one.path === `${CONTROL_PATH}${path}`)?.schema
}

export function RouteForm({
  schema = schemaOf,
  ...spec
}: FormSpec & { schema?: (route: string) => JsonSchema | undefined }) {
  const found = schema(spec.route)
  if (found === undefined) return null
  return spec.current === undefined ? (
    <details class="more">
      <summary>{spec.title}</summary>
      <Fields spec={spec} schema={found} />
    </details>
  ) : (
    <section class="stack">
      <h4 class="muted small">{spec.title}</h4>
      <Fields spec={spec} schema={found} />
    </section>
  )
}

function Fields({ spec, schema }: { readonly spec: FormSpec; readonly schema: JsonSchema }) {
  const { title, route, path, only, current, initial, hint, send, onDone } = spec
  const isSetting = current !== undefined
  const shown = withMembers(schema, only)
  /** Increases when the fields must get their first values again. */
  const resets = useSignal(0)
  const [method = '', template = ''] = route.split(' ')

  const save = async (form: HTMLFormElement) => {
    const data = new FormData(form)
    const value = readForm(shown, (name) => data.get(name) as string | null, current) as object
    if (isSetting && Object.keys(value).length === 0) return
    const answer = await (send?.(value) ?? change(method as 'POST', path ?? template, value))
    onDone?.(answer)
    if (isSetting) return
    toast.value = `${title}: done.`
    resets.value++
  }
  return (
    <form
      class="stack"
      key={resets.value}
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        runAction(
          () => save(form),
          () => isSetting && resets.value++,
        )
      }}
      onChange={({ currentTarget: form }) => {
        if (isSetting && form.reportValidity()) form.requestSubmit()
      }}
    >
      {hint !== undefined && <p class="hint">{hint}</p>}
      <SchemaFields schema={shown} name="" value={current ?? initial} isRequired spec={spec} />
      {!isSetting && (
        <button type="submit" class="primary">
          {title}
        </button>
      )}
    </form>
  )
}

function withMembers(schema: JsonSchema, only: readonly string[] | undefined): JsonSchema {
  const editor = editorOf(schema)
  if (editor.kind !== 'object' || only === undefined) return schema
  const properties = Object.fromEntries(Object.entries(editor.members).filter(([name]) => only.includes(name)))
  return { type: 'object', properties, required: editor.required }
}

interface FieldProps {
  readonly schema: JsonSchema
  readonly name: string
  readonly value: unknown
  readonly isRequired: boolean
  readonly spec: FormSpec
}

function SchemaFields(props: FieldProps) {
  const { schema, name, value } = props
  const editor = editorOf(schema)
  if (editor.kind !== 'object') return <Field {...props} editor={editor} />
  const fields = Object.entries(editor.members).map(([member, inner]) => (
    <SchemaFields
      {...props}
      key={member}
      schema={inner}
      name={inside(name, member)}
      value={memberOf(value, member)}
      isRequired={editor.required.includes(member)}
    />
  ))
  return name === '' ? (
    <>{fields}</>
  ) : (
    <fieldset class="stack">
      <legend>{labelOf(name)}</legend>
      {fields}
    </fieldset>
  )
}

function Field({ schema, name, value, isRequired, editor, spec }: FieldProps & { readonly editor: Editor }) {
  const field = useRef<HTMLInputElement & HTMLSelectElement & HTMLTextAreaElement>(null)
  const isBox = editor.kind === 'boolean' && typeof value === 'boolean' && spec.current !== undefined
  const text = toText(value === undefined ? schema.default : value)
  // Do this only for a new value, because it replaces the user's input.
  useLayoutEffect(() => {
    if (field.current === null) return
    field.current.value = isBox ? 'true' : text
    field.current.checked = isBox && value
  }, [text])
  const common = { ref: field, name, required: isRequired && schema.default === undefined && !isBox }
  const input = isBox ? (
    <input {...common} type="checkbox" />
  ) : editor.kind === 'boolean' || editor.kind === 'choice' ? (
    <select {...common}>
      {['', ...(editor.kind === 'choice' ? editor.options : [true, false]).map(toText)]
        .filter((option) => option !== '' || text === '')
        .map((option) => (
          <option key={option}>{option}</option>
        ))}
    </select>
  ) : editor.kind === 'json' ? (
    <textarea {...common} class="mono" rows={8} spellcheck={false} />
  ) : editor.kind === 'number' ? (
    <input
      {...common}
      type="number"
      step={schema.type === 'integer' ? 1 : 'any'}
      min={schema.minimum}
      max={schema.maximum}
    />
  ) : (
    <input {...common} autocomplete="off" />
  )
  const description = schema.description !== undefined && (
    <span class="hint">
      <Sentence text={schema.description} />
    </span>
  )
  return (
    <label class={isBox ? 'check' : ''}>
      {isBox && input}
      <span>
        {labelOf(name)}
        {isBox && description}
      </span>
      {!isBox && input}
      {!isBox && description}
    </label>
  )
}

/** `plan.contactLimit` becomes `Contact limit`. */
function labelOf(name: string): string {
  const member = name.slice(name.lastIndexOf('.') + 1)
  const words = member
    .replaceAll(/([A-Z]|\d+)/g, ' $1')
    .toLowerCase()
    .replaceAll(/\b(?:api|url|id)\b/g, (word) => word.toUpperCase())
    .replace(/ ms$/, ' (ms)')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
