/** Below the greeting, asks for a name if the user's name is only the beginning of the email address. A dismissal is stored in the browser. */
import { X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { maxNameChars } from '../../../../../worker/contract/limits.ts'
import { authCall } from '../../../../lib/auth-call.ts'
import { withStorage } from '../../../../lib/browser-storage.ts'
import { Button } from '../../../../ui/button.tsx'
import { IconButton } from '../../../../ui/icon-button.tsx'
import { focusComposer } from '../../composer/composer-field.tsx'
import { t } from './texts/en.ts'

const key = 'parley:name-question'

export function NameQuestion({ defaultName }: { readonly defaultName: string }) {
  const [isOpen, setOpen] = useState(() => withStorage((storage) => storage.getItem(key)) !== 'closed')
  const [text, setText] = useState('')
  const [isPending, setPending] = useState(false)
  const [problem, setProblem] = useState<string>()
  if (!isOpen) return null
  const close = () => {
    focusComposer(null)
    setOpen(false)
  }
  const save = async (event: FormEvent) => {
    event.preventDefault()
    const name = text.trim()
    if (isPending || name === '') return
    setPending(true)
    // A name that equals `defaultName` counts as no name, and the question would return.
    const result = await authCall('update-user', { name: name === defaultName ? name.slice(0, 1).toUpperCase() + name.slice(1) : name })
    setPending(false)
    if (result.ok) close()
    else setProblem(result.message)
  }
  const dismiss = () => {
    withStorage((storage) => storage.setItem(key, 'closed'))
    close()
  }
  return (
    <form className="relative mx-auto flex h-full w-76 max-w-full animate-appear items-center gap-1" onSubmit={(event) => void save(event)}>
      <input
        aria-label={t('question')}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={problem && 'name-problem'}
        placeholder={t('question')}
        autoComplete="given-name"
        maxLength={maxNameChars}
        value={text}
        className="h-full min-w-0 flex-1 rounded-lg border border-control/70 bg-transparent pr-16 pl-3 input-text placeholder:text-muted-foreground hover:border-control focus-visible:border-ring focus-visible:outline-offset-0 aria-invalid:border-danger"
        onChange={(event) => {
          setText(event.target.value)
          setProblem(undefined)
        }}
      />
      <div className="absolute right-1">
        {text.trim() === '' ? (
          <IconButton size="sm" label={t('dismiss')} onClick={dismiss}>
            <X />
          </IconButton>
        ) : (
          <Button type="submit" size="sm" pending={isPending}>
            {t('save')}
          </Button>
        )}
      </div>
      {problem && (
        <p id="name-problem" role="alert" className="absolute inset-x-0 top-full pt-1 text-xs text-danger">
          {problem}
        </p>
      )}
    </form>
  )
}
