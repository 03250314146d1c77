/** The fields of a form from a schema: what a server asks the user, or the arguments of a call. The server chose every word. */
import { useId } from 'react'
import type { InputAsk, InputField, InputSchema } from '../../../../worker/contract/tools/server-input.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { scrollTabStop } from '../../../ui/scroll-tab-stop.ts'
import { Switch } from '../../../ui/switch.tsx'
import { fieldClass, TextField } from '../../../ui/text-field.tsx'
import { type InputValue, type InputValues, isOn, labelOf, optionsIn, type Problems } from './input-values.ts'
import { t } from './texts/en.ts'

type FieldsProps = {
  readonly schema: InputSchema
  readonly values: InputValues
  readonly problems: Problems
  readonly onChange: (values: InputValues) => void
}

export const AskFields = ({ ask, ...rest }: { readonly ask: InputAsk } & Omit<FieldsProps, 'schema'>) =>
  'url' in ask ? <Address url={ask.url} /> : <SchemaFields schema={ask.schema} {...rest} />

export const SchemaFields = ({ schema, values, problems, onChange }: FieldsProps) =>
  Object.entries(schema.properties).map(([name, field]) => (
    <Field
      key={name}
      label={labelFor(schema, name)}
      field={field}
      value={values[name] ?? ''}
      problem={problems[name]}
      onChange={(value) => onChange({ ...values, [name]: value })}
    />
  ))

/** After the problems are shown. */
export const focusProblem = (form: HTMLElement | null): unknown =>
  requestAnimationFrame(() =>
    form?.querySelector<HTMLElement>('[aria-invalid] input, input[aria-invalid], textarea[aria-invalid], select[aria-invalid]')?.focus(),
  )

const labelFor = (schema: InputSchema, name: string): string => {
  const label = labelOf(schema, name)
  const isMarked = !schema.required.includes(name) && schema.properties[name]?.type !== 'boolean'
  return isMarked ? t('optional', { label }) : label
}

/** The whole address, so that nothing of it is hidden. Only a click of the user opens it. */
function Address({ url }: { readonly url: string }) {
  const { host } = new URL(url)
  return (
    <div className="flex flex-col items-start gap-3">
      <p
        ref={scrollTabStop}
        className="max-h-32 w-full scroll-ends overflow-auto rounded-lg bg-foreground/4 px-3 py-2 font-mono text-code wrap-anywhere"
        dir="ltr"
      >
        {url}
      </p>
      <a
        href={url}
        target="_blank"
        rel="noreferrer noopener"
        className={buttonClass({ className: 'max-w-full whitespace-normal wrap-anywhere h-auto min-h-9 py-1.5' })}
      >
        {t('openAddress', { host })}
      </a>
    </div>
  )
}

type FieldProps = {
  readonly label: string
  readonly field: InputField
  readonly value: InputValue
  readonly problem: string | undefined
  readonly onChange: (value: InputValue) => void
}

function Field({ label, field, value, problem, onChange }: FieldProps) {
  const { description } = field
  if (field.type === 'boolean')
    return (
      <div className="flex flex-col gap-1">
        <div className="flex items-center gap-3">
          <Switch label={label} checked={isOn(field, value)} onChange={onChange} />
          <span className="font-medium wrap-anywhere">{label}</span>
        </div>
        {description && <p className="text-xs text-muted-foreground wrap-anywhere">{description}</p>}
      </div>
    )
  if (field.type === 'array') return <Several {...{ label, field, value, problem, onChange }} />
  if (field.type === 'string' && field.enum) return <One {...{ label, field, value, problem, onChange }} />
  const shared = { label, error: problem, value: String(value), onValueChange: onChange, ...(description && { description }) }
  if (field.type === 'number' || field.type === 'integer')
    return <TextField {...shared} inputMode={field.type === 'integer' ? 'numeric' : 'decimal'} />
  const { format } = field as Extract<InputField, { type: 'string' }>
  if (format) return <TextField {...shared} {...inputOf[format]} />
  const rows = rowsFor(String(value))
  // One line looks like an input, and grows.
  const className = rows === 1 ? '*:[textarea]:resize-none touch:*:[textarea]:min-h-11!' : undefined
  return <TextField {...shared} rows={rows} className={className} />
}

/** Chosen: a longer text gets several lines. */
const lineChars = 60

const rowsFor = (text: string): number => (text.length > lineChars || text.includes('\n') ? 4 : 1)

/** `text` for what problems are said of in the language of the page. */
const inputOf = {
  email: { type: 'text', inputMode: 'email', autoCapitalize: 'none', spellCheck: false },
  uri: { type: 'text', inputMode: 'url', autoCapitalize: 'none', spellCheck: false },
  date: { type: 'date' },
  'date-time': { type: 'datetime-local' },
} as const

function One({ label, field, value, problem, onChange }: FieldProps) {
  const id = useId()
  const noteId = `${id}-note`
  const note = problem ?? field.description
  const isOptional = value === '' || field.default === undefined
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium wrap-anywhere">
        {label}
      </label>
      <select
        id={id}
        className={`${fieldClass} h-9 touch:h-11`}
        value={String(value)}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={note ? noteId : undefined}
        onChange={(event) => onChange(event.target.value)}
      >
        {isOptional && <option value="">{t('chooseOne')}</option>}
        {optionsIn(field.type === 'string' ? field : undefined).map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
      {note && <Note id={noteId} note={note} isProblem={problem !== undefined} />}
    </div>
  )
}

function Several({ label, field, value, problem, onChange }: FieldProps) {
  const noteId = useId()
  const chosen = Array.isArray(value) ? (value as readonly string[]) : []
  const note = problem ?? field.description
  return (
    <fieldset aria-describedby={note ? noteId : undefined} aria-invalid={problem !== undefined || undefined}>
      <legend className="mb-1 font-medium wrap-anywhere">{label}</legend>
      <div className="flex flex-col">
        {optionsIn(field.type === 'array' ? field.items : undefined).map(([option, name]) => (
          <label key={option} className="flex min-h-8 cursor-pointer items-center gap-2.5 touch:min-h-11">
            <input
              type="checkbox"
              className="size-4 shrink-0 accent-accent"
              checked={chosen.includes(option)}
              onChange={({ target }) => onChange(target.checked ? [...chosen, option] : chosen.filter((one) => one !== option))}
            />
            <span className="min-w-0 wrap-anywhere">{name}</span>
          </label>
        ))}
      </div>
      {note && <Note id={noteId} note={note} isProblem={problem !== undefined} />}
    </fieldset>
  )
}

const Note = ({ id, note, isProblem }: { readonly id: string; readonly note: string; readonly isProblem: boolean }) => (
  <p id={id} className={isProblem ? 'text-xs text-pretty text-danger' : 'text-xs text-pretty text-muted-foreground wrap-anywhere'}>
    {note}
  </p>
)
