import { isObject, type JsonObject } from '../http/body.ts'

/** Phones as a snapshot holds them, each with what stands in its thread; `items` in their order. What is odd is left to the schema. */
export function withThreads(phones: readonly unknown[], items: readonly unknown[]): unknown[] {
  const threads = Map.groupBy(items.filter(isObject), ({ customer }) => customer)
  return phones.map((phone) =>
    isObject(phone) ? { ...phone, ...threadOf(threads.get(phone['customer']) ?? []) } : phone,
  )
}

function threadOf(items: readonly JsonObject[]) {
  return {
    thread: items.map(({ item }) => item),
    sent: items.flatMap(({ sent }) => (sent === undefined ? [] : [sent])),
  }
}
