/** A day and a time of the person's own clock. A day alone is its beginning. */
import { form_words } from './form-words.ts'

type Props = {
  readonly label: string
  readonly required: boolean
  /** `2026-12-02`, or `2026-12-02T09:30`. */
  readonly value: string
  set(value: string): void
}

export function Moment({ label, required, value, set }: Props) {
  const [day = '', time = ''] = value.split('T')
  const both = (next_day: string, next_time: string) =>
    set(next_day === '' || next_time === '' ? next_day : `${next_day}T${next_time}`)
  return (
    <span class="moment">
      <input
        type="date"
        value={day}
        required={required}
        onInput={event => both(event.currentTarget.value, time)}
      />
      <input
        type="time"
        aria-label={`${label}: ${form_words.time}`}
        value={time}
        onInput={event => both(day, event.currentTarget.value)}
      />
    </span>
  )
}
