/**
 * The screen of a choice from a server: the form for its arguments, and a line above the composer while it is read and after a failure. Loads with
 * the list, so that a choice without a network has a sentence.
 */
import { Link } from '@tanstack/react-router'
import { Fragment, useId, useState } from 'react'
import { maxServerArgumentChars } from '../../../../../worker/contract/limits.ts'
import { linkClass } from '../../../../ui/button.tsx'
import { FormDialog } from '../../../../ui/form-dialog.tsx'
import { TextField } from '../../../../ui/text-field.tsx'
import { toast } from '../../../../ui/toaster.tsx'
import { Notice } from '../notice.tsx'
import { insertChoice } from './insert-from-server.ts'
import { type ChosenEntry, type ServerChoice, type ServerProblem, serverChoice } from './server-choice.ts'
import { useSuggestions } from './suggestions.ts'
import { t } from './texts/en.ts'

/** Asks for arguments, or reads at once. */
export function beginChoice(choice: ChosenEntry & Pick<ServerChoice, 'draftKey' | 'server'>): void {
  if (choice.entry.args && choice.entry.args.length > 0) {
    serverChoice.set({ ...choice, state: 'asking' })
    return
  }
  const reading: ServerChoice = { ...choice, state: 'reading' }
  serverChoice.set(reading)
  void insertChoice(reading, {}).then((problem) => {
    // After another choice, whose form may have values already.
    if (serverChoice.get() === reading) serverChoice.set(problem && { ...reading, state: problem })
    else if (problem) toast('error', problem.text)
  })
}

export function ServerInsert({ choice }: { readonly choice: ServerChoice }) {
  const { state, server, entry } = choice
  if (state === 'asking') return <ArgumentsDialog choice={choice} />
  if (state === 'reading') return <Notice>{t('reading', { title: entry.title, server: server.name })}</Notice>
  return (
    <Notice
      tone="warning"
      isUrgent
      action={state.isLogin && <SettingsLink />}
      dismiss={{ label: t('dismissNotice'), onClick: () => serverChoice.set(null) }}
    >
      {state.text}
    </Notice>
  )
}

const SettingsLink = () => (
  <Link to="/account/tools" className={linkClass} onClick={() => serverChoice.set(null)}>
    {t('openSettings')}
  </Link>
)

/** Stays open while the server cannot be read, with the reason. */
function ArgumentsDialog({ choice }: { readonly choice: ServerChoice }) {
  const { server, kind, entry } = choice
  const { args = [] } = entry
  const [values, setValues] = useState<{ readonly [name: string]: string }>({})
  const [shown, setShown] = useState<ServerProblem | null>(null)
  const suggestions = useSuggestions(choice)
  const listId = useId()
  const isTooLong = Object.values(values).some((value) => value.length > maxServerArgumentChars)

  const insert = async () => {
    if (isTooLong) return false
    setShown(null)
    const problem = await insertChoice(choice, values)
    if (problem && !problem.isInserted) {
      setShown(problem)
      return false
    }
    serverChoice.set(problem && { ...choice, state: problem })
    return true
  }
  // The form closes, then the problem is shown.
  const close = () => serverChoice.get() === choice && serverChoice.set(null)
  return (
    <FormDialog
      title={entry.title}
      submit={t(kind === 'resource' ? 'attach' : 'insert')}
      onSubmit={insert}
      pendingText={t('reading', { title: entry.title, server: server.name })}
      onClose={close}
    >
      {entry.description !== '' && (
        <p dir="auto" className="text-muted-foreground wrap-anywhere">
          {entry.description}
        </p>
      )}
      {args.map(({ name, title, description, isRequired }, index) => (
        <Fragment key={name}>
          <TextField
            label={title}
            mark={isRequired && <span className="text-xs text-muted-foreground">{t('required')}</span>}
            description={description}
            required={isRequired}
            maxChars={maxServerArgumentChars}
            autoComplete="off"
            list={suggestions.found[name]?.length ? `${listId}-${index}` : undefined}
            value={values[name] ?? ''}
            onFocus={() => suggestions.ask({ name, values })}
            onValueChange={(value) => {
              const changed = { ...values, [name]: value }
              setValues(changed)
              suggestions.ask({ name, values: changed })
            }}
          />
          <datalist id={`${listId}-${index}`}>
            {suggestions.found[name]?.map((value) => (
              <option key={value} value={value} />
            ))}
          </datalist>
        </Fragment>
      ))}
      {shown && (
        <p role="alert" className="text-danger text-pretty">
          {shown.text} {shown.isLogin && <SettingsLink />}
        </p>
      )}
    </FormDialog>
  )
}
