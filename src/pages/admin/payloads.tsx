import type { EventReport, ShapeReport } from '../../admin/api.ts'
import { plural } from './parts.tsx'
import { NoAnswer, useShown } from './shown.tsx'

export function Payloads() {
  const { value, problem } = useShown<{ events: readonly EventReport[] }>('api/payloads')
  return (
    <div class="scroll page details" tabIndex={0}>
      <div class="page-head">
        <h2>Payloads</h2>
      </div>
      <p class="muted">
        The specification shows no field of any payload. These are the shapes of the newest deliveries, and where the
        bot finds each fact. <code>switchhook payload report</code> prints a mapping to paste into the option{' '}
        <code>facts</code>.
      </p>
      {value === undefined && <NoAnswer problem={problem} />}
      {value?.events.length === 0 && <p class="empty">No payloads yet.</p>}
      {value?.events.map((event) => (
        <Event key={event.event} event={event} />
      ))}
    </div>
  )
}

function Event({ event: { event, deliveries, shapes } }: { event: EventReport }) {
  return (
    <section>
      <h3 class="mono">{event}</h3>
      <p class="muted">
        {plural(deliveries, 'delivery', 'deliveries')}, {plural(shapes.length, 'shape')}
      </p>
      {shapes.map((shape) => (
        <Shape key={shape.fingerprint} shape={shape} />
      ))}
    </section>
  )
}

function Shape({ shape: { fingerprint, deliveries, paths, facts, doubts } }: { shape: ShapeReport }) {
  return (
    <div class="stack">
      <p class="muted">
        <code>{fingerprint}</code> {plural(deliveries, 'delivery', 'deliveries')}
      </p>
      <div class="table-frame">
        <table>
          <thead>
            <tr>
              <th scope="col">Path</th>
              <th scope="col">Type</th>
              <th scope="col">Fact</th>
            </tr>
          </thead>
          <tbody>
            {paths.map(({ path, types }) => (
              <tr key={path}>
                <td>
                  <code>{path}</code>
                </td>
                <td>{types.join(' | ')}</td>
                <td>
                  {Object.entries(facts)
                    .filter(([, fact]) => fact.path.replaceAll('[0]', '[]') === path)
                    .map(([name, { how, doubtful }]) => `${name} (${how}${doubtful ? ', in doubt' : ''})`)
                    .join(', ')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {doubts.map((doubt) => (
        <div key={doubt} class="cause">
          <code>{doubt}</code>
        </div>
      ))}
    </div>
  )
}
