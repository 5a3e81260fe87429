import type { EventReport } from '../admin/api.ts'
import { plural, When } from './parts.tsx'
import { useShown } from './shown.tsx'

/** The report on the service's payloads: paths, types and counts, and no value. */
export function Payloads() {
  const shown = useShown<{ events: readonly EventReport[] }>('api/payloads')
  const { value, problem } = shown.value
  return (
    <div class="scroll page details">
      <div class="page-head">
        <h2>Payloads</h2>
      </div>
      <p class="muted">
        The specification shows no field of any payload. This is where the bot found each fact.{' '}
        <code>switchhook payload report</code> prints a mapping to paste into the option <code>facts</code>.
      </p>
      {value === undefined && <p class="empty">{problem === '' ? 'Reading…' : problem}</p>}
      {value?.events.length === 0 && <p class="empty">No payload was seen yet.</p>}
      {value?.events.map((event) => (
        <Event key={event.event} event={event} />
      ))}
    </div>
  )
}

function Event({ event }: { event: EventReport }) {
  return (
    <section>
      <h3 class="mono">{event.event}</h3>
      <p class="muted">
        {plural(event.deliveries, 'delivery', 'deliveries')}, {plural(event.messages, 'message')}, since{' '}
        <When at={event.since} />
      </p>
      <div class="table-frame">
        <table>
          <thead>
            <tr>
              <th scope="col">Fact</th>
              <th scope="col">Found</th>
              <th scope="col">Where</th>
            </tr>
          </thead>
          <tbody>
            {event.facts.map((fact) => (
              <tr key={fact.fact}>
                <th scope="row">{fact.fact}</th>
                <td>
                  {fact.found} of {fact.of}
                </td>
                <td>
                  {fact.places.map((place) => (
                    <div key={place.path}>
                      <code>{place.path}</code>{' '}
                      <span class="muted">
                        {place.how}, {place.found}
                        {place.sure < place.found && ` (${place.sure} for sure)`}
                      </span>
                    </div>
                  ))}
                  {fact.doubts.map(({ path, doubt, seen }) => (
                    <div key={`${path} ${doubt}`} class="doubt">
                      <code>{path}</code> {doubt}, {plural(seen, 'time')}
                    </div>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <details>
        <summary>{plural(event.shapes.length, 'shape')}</summary>
        {event.shapes.map((shape) => (
          <div key={shape.fingerprint} class="shape">
            <p class="muted">
              <code>{shape.fingerprint}</code> {plural(shape.deliveries, 'delivery', 'deliveries')}, last{' '}
              <When at={shape.last} />
            </p>
            <pre class="raw">{shape.paths.join('\n')}</pre>
          </div>
        ))}
      </details>
    </section>
  )
}
