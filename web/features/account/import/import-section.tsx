/** Imports threads from files: choosing or dropping them, the progress, and what was skipped. */
import { Link } from '@tanstack/react-router'
import { ChevronRight, Import } from 'lucide-react'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { maxFilesPerMessage } from '../../../../worker/contract/limits.ts'
import { cx } from '../../../lib/cx.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { useStore } from '../../../lib/store.ts'
import { useThreadImporter } from '../../../sync/move-threads.ts'
import { Button } from '../../../ui/button.tsx'
import { FileInput } from '../../../ui/file-input.tsx'
import { Meter } from '../../../ui/meter.tsx'
import { Section } from '../../../ui/section.tsx'
import { dismissToast, toast } from '../../../ui/toaster.tsx'
import { type ImportState, importState } from './import-state.ts'
import { cancelImport, continueImport, runImport } from './run-import.ts'
import { t } from './texts/en.ts'

export function ImportSection({ userId }: { readonly userId: string }) {
  const importer = useThreadImporter()
  const state = useStore(importState)
  useEffect(showImportOnScreen, [])
  const isBusy = state?.phase === 'running' || state?.phase === 'paused'
  return (
    <Section title={t('title')} description={t('description')}>
      {!isBusy && <FileChooser onFiles={(files) => void runImport(files, userId, importer)} />}
      {state && <ImportStatus state={state} />}
    </Section>
  )
}

function FileChooser({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const inputRef = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    onFiles([...event.dataTransfer.files])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same with the keyboard
    <div
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      className={cx('flex flex-wrap items-center gap-3 rounded-lg border border-dashed p-4', isOver && 'border-accent bg-accent/5')}
    >
      <FileInput ref={inputRef} label={t('chooseFiles')} accept=".zip,.json,application/zip,application/json" onFiles={onFiles} />
      <Button onClick={() => inputRef.current?.click()}>
        <Import aria-hidden="true" className="size-4" />
        {t('chooseFiles')}
      </Button>
      <span className="text-muted-foreground">{isOver ? t('dropNow') : t('dropHere')}</span>
    </div>
  )
}

function ImportStatus({ state }: { readonly state: ImportState }) {
  const { phase, fileName, share, imported, known, problems, moreProblems, refusal, isAboutImages } = state
  const isOpen = phase === 'running' || phase === 'paused'
  const problemCount = problems.length + moreProblems
  const counts = [
    ...(phase === 'running' && imported === 0 ? [] : [t('importedCount', { count: imported })]),
    ...(known > 0 ? [t('knownCount', { count: known })] : []),
    ...(problemCount > 0 ? [t('problemCount', { count: problemCount })] : []),
  ]
  return (
    <div className="mt-4 flex flex-col gap-3">
      <p
        role="status"
        className={cx('font-medium text-pretty wrap-anywhere', (phase === 'nothing_found' || phase === 'failed') && 'text-danger')}
      >
        {phase === 'running' && t('running', { name: fileName })}
        {phase === 'paused' && t('paused', { reason: refusal ? refusalSentence(refusal) : '' })}
        {phase === 'done' && t('done')}
        {phase === 'nothing_found' && t('nothingFound')}
        {phase === 'canceled' && t('canceled')}
        {phase === 'failed' && t('failed')}
      </p>
      {isOpen && <Meter label={t('progress')} value={Math.round(share * 100)} max={100} className="h-1.5" />}
      {counts.length > 0 && phase !== 'nothing_found' && <p className="text-muted-foreground">{counts.join(' · ')}</p>}
      {isOpen && (
        <div className="flex flex-wrap gap-2">
          {phase === 'paused' && (
            <Button variant="primary" onClick={() => continueImport('retry')}>
              {t('continueImport')}
            </Button>
          )}
          {phase === 'paused' && isAboutImages && (
            <Button onClick={() => continueImport('without-images')}>{t('continueWithoutImages')}</Button>
          )}
          <Button onClick={cancelImport}>{t('cancel')}</Button>
        </div>
      )}
      {!isOpen && <NewestThreads state={state} />}
      {problemCount > 0 && <ProblemList state={state} />}
    </div>
  )
}

function NewestThreads({ state: { newest } }: { readonly state: ImportState }) {
  if (newest.length === 0) return null
  return (
    <div>
      <h3 className="font-medium">{t('newest')}</h3>
      <ul className="mt-1">
        {newest.map(({ id, title }) => (
          <li key={id} className="truncate">
            <Link
              to="/$threadId"
              params={{ threadId: id }}
              dir="auto"
              className="underline underline-offset-2 touch:inline-block touch:py-2.5"
            >
              {title || t('untitled')}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Chosen: a list that fits into a few lines. */
const maxListed = 20

const shortList = (parts: readonly string[]): string =>
  [...parts.slice(0, maxListed), ...(parts.length > maxListed ? ['…'] : [])].join(', ')

function ProblemList({ state: { phase, problems, moreProblems } }: { readonly state: ImportState }) {
  return (
    <details open={phase === 'nothing_found'}>
      <summary className="flex cursor-pointer list-none items-center gap-1.5 font-medium touch:py-2.5 [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden="true" className="size-4 text-muted-foreground transition-transform in-open:rotate-90" />
        {t('problems')}
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable to be scrolled with keys */}
      <ul tabIndex={0} className="mt-2 max-h-72 divide-y overflow-y-auto rounded-lg border">
        {problems.map(({ title, reason, turns, names, count }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows at its end
          <li key={index} className="px-3 py-2">
            <p dir="auto" className="truncate font-medium">
              {title || t('untitled')}
            </p>
            <p className="text-muted-foreground text-pretty wrap-anywhere">
              {[
                t(reason, { max: String(maxFilesPerMessage), count: count ?? 1 }),
                ...(names ? [shortList(names)] : []),
                ...(turns ? [t('turns', { count: turns.length, list: shortList(turns.map(String)) })] : []),
              ].join(' · ')}
            </p>
          </li>
        ))}
        {moreProblems > 0 && <li className="px-3 py-2 text-muted-foreground">{t('more', { count: moreProblems })}</li>}
      </ul>
    </details>
  )
}

const id = 'import'
let isOnScreen = false
let reported: ImportState['phase'] | undefined

/** For an effect of the section: a toast reports the import while the section is not on screen. */
function showImportOnScreen(): () => void {
  isOnScreen = true
  dismissToast(id)
  return () => {
    isOnScreen = false
    const phase = importState.get()?.phase
    reported = undefined
    if (phase === 'running' || phase === 'paused') report()
  }
}

function report(): void {
  const state = importState.get()
  if (isOnScreen || state?.phase === reported) return
  reported = state?.phase
  if (!state || state.phase === 'canceled') dismissToast(id)
  else if (state.phase === 'running') toast('loading', t('running', { name: state.fileName }), { id })
  else if (state.phase === 'done') toast('success', t('done'), { id, description: t('importedCount', { count: state.imported }) })
  else if (state.phase === 'nothing_found') toast('warning', t('nothingFound'), { id })
  else if (state.phase === 'failed') toast('error', t('failed'), { id })
  else
    toast('warning', t('paused', { reason: state.refusal ? refusalSentence(state.refusal) : '' }), {
      id,
      durationMs: Number.POSITIVE_INFINITY,
    })
}

importState.subscribe(report)
