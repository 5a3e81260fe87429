import { optionsInvalid } from '../base/errors.ts'

/** Standard Schema (https://standardschema.dev): zod, valibot or arktype, without a library's type in ours. */
export interface Schema<I = unknown, O = I> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => unknown
    readonly types?: { readonly input: I; readonly output: O } | undefined
  }
}

export type Out<S> = S extends { '~standard': { types?: { output: infer O } | undefined } } ? O : never

type Result = { readonly value?: unknown; readonly issues?: readonly { readonly message?: unknown }[] | undefined }

/** Resolves with the schema's output, or with its problems as text, which may contain parts of the value. */
export async function validate(schema: Schema, value: unknown): Promise<{ value: unknown } | { problem: string }> {
  return outcomeOf((await schema['~standard'].validate(value)) as Result)
}

/** @throws SwitchhookError `options_invalid` if the schema validates asynchronously. */
export function validateSync(schema: Schema, value: unknown): { value: unknown } | { problem: string } {
  const result = schema['~standard'].validate(value) as Result | Promise<Result>
  if (result instanceof Promise)
    throw optionsInvalid('this schema validates asynchronously, which is not possible here')
  return outcomeOf(result)
}

function outcomeOf({ issues, value }: Result): { value: unknown } | { problem: string } {
  if (!issues) return { value }
  return { problem: issues.map(({ message }) => String(message)).join('; ') || 'it does not fit its schema' }
}

export function isSchema(value: unknown): value is Schema {
  const standard = (value as Partial<Schema> | null | undefined)?.['~standard']
  return typeof standard === 'object' && standard !== null && typeof standard.validate === 'function'
}
