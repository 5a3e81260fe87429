import { SwitchhookError } from '../base/errors.ts'

/**
 * Outside the 24-hour window and no template to fall back on. Nothing was sent and nothing is lost: the send is
 * kept, and goes out when the same reply is asked for with an `outsideWindow` template.
 */
export class OutsideWindow extends SwitchhookError {
  constructor(options?: { cause?: unknown }) {
    super(
      'outside_window',
      'the 24-hour window of this customer is closed, and only a template may be sent: pass one as { outsideWindow: template(…) }',
      options,
    )
    this.name = 'OutsideWindow'
  }
}

/** This attempt has ended (deadline, lost lane or stop): whatever it still does has no effect. */
export class AttemptOver extends SwitchhookError {
  constructor(why: string) {
    super(
      'attempt_over',
      `this attempt is over (${why}), so this had no effect: where it was cut off another one decides; await what a handler begins before it returns`,
    )
    this.name = 'AttemptOver'
  }
}
