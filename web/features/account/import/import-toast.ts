/** A toast that reports the import while its section is not on screen. */
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { dismissToast, toast } from '../../../ui/toaster.tsx'
import { type ImportState, importState } from './import-state.ts'
import { t } from './texts/en.ts'

const id = 'import'
let isOnScreen = false
let reported: ImportState['phase'] | undefined

/** For an effect of the section. */
export function showImportOnScreen(): () => void {
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
