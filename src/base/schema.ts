import { SwitchhookError } from './errors.ts'

/** Any zod version, valibot, arktype: https://standardschema.dev, so no library's type is part of ours. */
export interface Schema<I = unknown, O = I> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => unknown
    readonly types?: { readonly input: I; readonly output: O } | undefined
  }
}

/** What a schema gives. */
export type Out<S> = S extends { '~standard': { types?: { output: infer O } | undefined } } ? O : never

type Result = { readonly value?: unknown; readonly issues?: readonly { readonly message?: unknown }[] | undefined }

/** What a value is by a schema: its output, or the problems in words, which may hold parts of the value. */
export async function validated(schema: Schema, value: unknown): Promise<{ value: unknown } | { problem: string }> {
  return verdictOf((await schema['~standard'].validate(value)) as Result)
}

/**
 * The same at once.
 *
 * @throws SwitchhookError `options_invalid` where the schema can only be asked asynchronously.
 */
export function validatedNow(schema: Schema, value: unknown): { value: unknown } | { problem: string } {
  const result = schema['~standard'].validate(value) as Result | Promise<Result>
  if (result instanceof Promise)
    throw new SwitchhookError('options_invalid', 'this schema validates asynchronously, which is not possible here')
  return verdictOf(result)
}

function verdictOf({ issues, value }: Result): { value: unknown } | { problem: string } {
  if (!issues) return { value }
  return { problem: issues.map(({ message }) => String(message)).join('; ') || 'it does not fit its schema' }
}

/** Whether a value is a Standard Schema. */
export function isSchema(value: unknown): value is Schema {
  const standard = (value as Partial<Schema> | null | undefined)?.['~standard']
  return typeof standard === 'object' && standard !== null && typeof standard.validate === 'function'
}
