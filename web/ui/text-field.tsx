/** A labelled text field or area with a description, a counter near its limit, and an error that replaces the description. */
import { type ComponentProps, type ReactNode, useId } from 'react'
import { cx } from '../lib/cx.ts'
import { t } from './texts/en.ts'

type CommonProps = {
  readonly label: string
  readonly description?: string
  readonly error?: string | undefined
  /** Limit in characters, counted next to the label. Longer input is possible, so that pasted text is never truncated silently. */
  readonly maxChars?: number
  /** Placed next to the label. */
  readonly mark?: ReactNode
  readonly value: string
  readonly onValueChange: (value: string) => void
}

type TextFieldProps = CommonProps & Omit<ComponentProps<'input'>, keyof CommonProps | 'onChange'> & { readonly rows?: undefined }
type TextAreaProps = CommonProps & Omit<ComponentProps<'textarea'>, keyof CommonProps | 'onChange'> & { readonly rows: number }

/** The counter shows from this share of the limit. */
const counterRatio = 0.8

export const fieldClass =
  'w-full rounded-lg border border-control/70 bg-raised px-3 py-2 input-text text-foreground placeholder:text-muted-foreground hover:border-control focus-visible:border-ring focus-visible:outline-offset-0 aria-invalid:border-danger'

export function TextField(props: TextFieldProps | TextAreaProps) {
  const { label, description, error, maxChars, mark, value, onValueChange, className, ...rest } = props
  const id = useId()
  const noteId = `${id}-note`
  const excess = maxChars === undefined ? 0 : value.length - maxChars
  const isTooLong = excess > 0
  const note = error ?? (isTooLong ? t('tooManyChars', { excess }) : description)
  const isInvalid = error !== undefined || isTooLong
  const shared = {
    id,
    value,
    'aria-invalid': isInvalid || undefined,
    'aria-describedby': note ? noteId : undefined,
  }
  return (
    <div className={cx('flex flex-col gap-1.5', className)}>
      <div className="flex items-baseline justify-between gap-3">
        <div className="flex items-center gap-1.5">
          <label htmlFor={id} className="font-medium">
            {label}
          </label>
          {mark}
        </div>
        {maxChars !== undefined && value.length >= maxChars * counterRatio && (
          <span className={cx('text-xs', isTooLong ? 'text-danger' : 'text-muted-foreground')}>{`${value.length}/${maxChars}`}</span>
        )}
      </div>
      {rest.rows === undefined ? (
        <input {...rest} {...shared} className={cx(fieldClass, 'h-9 touch:h-11')} onChange={(event) => onValueChange(event.target.value)} />
      ) : (
        <textarea
          {...rest}
          {...shared}
          className={cx(fieldClass, 'field-sizing-content max-h-[60dvh] resize-y')}
          style={{ minHeight: `calc(${rest.rows}lh + 1rem + 2px)` }}
          onChange={(event) => onValueChange(event.target.value)}
        />
      )}
      {note && (
        <p id={noteId} className={cx('text-xs text-pretty', isInvalid ? 'text-danger' : 'text-muted-foreground')}>
          {note}
        </p>
      )}
    </div>
  )
}
