import type { Schema } from '../../emulator/service/docs.ts'
import { API_ERRORS, API_PREFIX, ENDPOINTS } from '../../contract/index.ts'
import { isSuccess } from '../support/http.ts'
import { schemaNode, type Resolve } from './schema.ts'
import { node, type Node } from './tree.ts'

/** The members of an OpenAPI document that are compared. */
export interface Description {
  readonly servers?: readonly { readonly url?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content?: Content }
  readonly responses?: Readonly<Record<string, Response>>
}

interface Parameter {
  readonly name?: string
  readonly in?: string
  readonly required?: boolean
  readonly schema?: Schema
}

interface Response {
  readonly description?: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Content
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

const METHODS = ['get', 'put', 'post', 'delete', 'patch']
const ITSELF: readonly string[] = [ENDPOINTS.description.path, ENDPOINTS.docs.path]
/** Headers that the transport adds to each request; no schema describes them. */
const EVERYWHERE = ['authorization', 'content-type', 'accept']

export function isDescription(value: unknown): value is Description {
  const { openapi, paths } = (value ?? {}) as { openapi?: unknown; paths?: unknown }
  return typeof openapi === 'string' && openapi.startsWith('3.') && typeof paths === 'object' && paths !== null
}

/**
 * A tree of what a description says about the endpoints under `/api/v2`: members, limits, headers, statuses and codes.
 */
export function treeOf(description: Description): Node {
  const resolve = resolverOf(description)
  const tree = node()
  for (const [path, methods] of Object.entries(description.paths)) {
    const short = shortOf(path, description)
    if (short === undefined || ITSELF.includes(short)) continue
    for (const method of METHODS)
      if (methods[method])
        tree.children.set(
          `${method.toUpperCase()} ${short}`,
          operationNode(methods[method], (methods['parameters'] ?? []) as Parameter[], resolve),
        )
  }
  return tree
}

/** A path without `/api/v2`; undefined if the path does not belong to the API. */
function shortOf(path: string, { servers }: Description): string | undefined {
  const base = URL.parse(servers?.[0]?.url ?? '/', 'http://service.invalid')?.pathname.replace(/\/$/, '') ?? ''
  const whole = path.startsWith(`${API_PREFIX}/`) ? path : base + path
  return whole.startsWith(`${API_PREFIX}/`) ? whole.slice(API_PREFIX.length) : undefined
}

function operationNode(given: Operation, shared: readonly Parameter[], resolve: Resolve): Node {
  const made = node()
  for (const one of [...shared, ...(given.parameters ?? [])]) {
    const { name = '', in: where = '', required, schema } = resolve(one)
    // Header names are case-insensitive.
    const header = where === 'header'
    if (header && EVERYWHERE.includes(name.toLowerCase())) continue
    const parameter = schemaNode(schema ?? {}, resolve)
    // A parameter cannot be null; nullability matters only in a body.
    parameter.properties.set('type', (parameter.properties.get('type') ?? '').replace(/(?:^| or )null\b(?: or )?/, ''))
    parameter.properties.set('required', required ? 'yes' : 'no')
    made.children.set(`${where} ${header ? name.toLowerCase() : name}`, parameter)
  }
  const body = jsonSchema(given.requestBody && resolve(given.requestBody))
  if (body) made.children.set('body', schemaNode(body, resolve))
  for (const [status, response] of Object.entries(given.responses ?? {}))
    made.children.set(status, responseNode(Number(status), resolve(response), resolve))
  return made
}

function responseNode(status: number, response: Response, resolve: Resolve): Node {
  const ok = isSuccess(status)
  const made = node(!ok)
  for (const name of Object.keys(response.headers ?? {})) made.children.set(`header ${name.toLowerCase()}`, node(true))
  const schema = jsonSchema(response)
  if (ok && schema) made.children.set('body', schemaNode(schema, resolve))
  if (!ok) for (const code of codesOf(response, schema, resolve)) made.children.set(`code ${code}`, node(true))
  return made
}

function jsonSchema(part: { readonly content?: Content } | undefined): Schema | undefined {
  const content = part?.content ?? {}
  return Object.entries(content).find(([type]) => type.startsWith('application/json'))?.[1].schema
}

/** The error codes of a response: those of its enum, and known or code-like words of its description. */
function codesOf({ description = '' }: Response, schema: Schema | undefined, resolve: Resolve): Set<string> {
  const codes = new Set(Object.keys(API_ERRORS).filter((code) => new RegExp(`\\b${code}\\b`).test(description)))
  for (const [, word = ''] of description.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)) codes.add(word)
  const listed = schema && schemaNode(schema, resolve).children.get('code')?.properties.get('enum')
  for (const code of listed?.split(', ') ?? []) codes.add(JSON.parse(code) as string)
  return codes
}

const MOST_HOPS = 20

function resolverOf(description: Description): Resolve {
  const follow = <T extends object>(part: T, hops: number): T => {
    const { $ref } = part as { $ref?: unknown }
    if (typeof $ref !== 'string' || !$ref.startsWith('#/') || hops === MOST_HOPS) return part
    let at: unknown = description
    for (const step of $ref.slice(2).split('/').map(unescaped)) at = memberOf(at, step)
    return follow(at as T, hops + 1)
  }
  return (part) => follow(part, 0)
}

/** Decodes `/` and `~` in a step of a JSON pointer. */
function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? value[name as keyof typeof value]
    : {}
}
