/** Headers as they went over the wire, folded until they are asked for where they are many. */
export function Headers({ headers }: { headers: Readonly<Record<string, string>> }) {
  const all = Object.entries(headers)
  if (all.length === 0) return null
  return (
    <details class="headers" open>
      <summary>{all.length === 1 ? '1 header' : `${all.length} headers`}</summary>
      <dl>
        {all.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
