/** What the cards of a new thread do. Loads with the first press. */
import { creditsFor } from '../../../../worker/contract/access.ts'
import { maxComparedModels } from '../../../../worker/contract/limits.ts'
import { starterPrompt } from '../../../../worker/contract/starter-prompts.ts'
import type { Starter } from '../../../../worker/contract/starters.ts'
import { loadedLanguage } from '../../../lib/i18n/language.ts'
import { openUpsell } from '../../../lib/overlays.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import type { Me, ModelRow } from '../../../sync/rows.ts'
import { composerField } from '../composer/composer-field.tsx'
import { choose, setDraft } from '../composer/drafts.ts'
import { modelProblem } from '../models/catalogue.ts'

type Start = { readonly draftKey: string; readonly me: Me | undefined; readonly models: readonly ModelRow[] }

export function startWith({ id, isLocked }: Pick<Starter, 'id' | 'isLocked'>, { draftKey, me, models }: Start): void {
  const field = composerField()
  if (isLocked || id === 'file') {
    if (isLocked) openUpsell('research')
    else field?.form?.querySelector<HTMLInputElement>('input[type=file]')?.click()
    return
  }
  if (id === 'compare') choose(draftKey, { mode: 'chat', comparedIds: companions(models, me).map((model) => model.id) })
  if (id === 'research') choose(draftKey, { mode: 'research', comparedIds: [] })
  const prompt = starterPrompt(id, loadedLanguage.get().language)
  setDraft(draftKey, { text: prompt })
  // Also on touch devices: the user continues with the text. At its end, because the prompt is often extended.
  field?.focus({ preventScroll: true })
  requestAnimationFrame(() => field?.setSelectionRange(prompt.length, prompt.length))
}

/** The cheapest usable models of other makers than that of the user's model, one of each. */
export function companions(models: readonly ModelRow[], me: Me | undefined): readonly ModelRow[] {
  const makers = new Set([me?.model?.icon])
  return models
    .filter((model) => modelProblem(model, me, serverNowMs()) === null)
    .toSorted((a, b) => creditsFor(a) - creditsFor(b))
    .filter(({ icon }) => !makers.has(icon) && makers.add(icon))
    .slice(0, maxComparedModels - 1)
}
