/** Draft sync, the list of prompts and models, and the chip of the chosen model. Loads with the first text or draft in a composer. */
import { X } from 'lucide-react'
import type { RefObject } from 'react'
import type { DraftRow, ModelRow } from '../../../../sync/rows.ts'
import { IconButton } from '../../../../ui/icon-button.tsx'
import { MakerIcon } from '../../../../ui/maker-icon.tsx'
import { boundedPart } from '../../../../ui/section-error-boundary.tsx'
import { choose } from '../drafts.ts'
import { t } from '../texts/en.ts'
import { DraftSync } from './draft-sync.tsx'

/** A list that fails does not stop the sync of the draft. */
const InsertMenu = boundedPart('menu', () => import('./insert-menu.tsx').then((module) => module.InsertMenu))

/** `/` or `@` at the start of a word, or a variable of a prompt. `InsertMenu` also checks the position of the caret. */
const insertSign = /(^|\s)[/@]|\{\{/

type ComposerToolsProps = {
  readonly draftKey: string
  /** Null: the next new thread. */
  readonly threadId: string | null
  readonly serverDraft: DraftRow | undefined
  /** The text of a temporary chat stays in this browser until it is sent. */
  readonly isTemporary: boolean
  readonly text: string
  /** The model for this message only. */
  readonly modelOverride: ModelRow | undefined
  readonly fieldRef: RefObject<HTMLTextAreaElement | null>
}

export const ComposerTools = ({ draftKey, threadId, serverDraft, isTemporary, text, modelOverride, fieldRef }: ComposerToolsProps) => (
  <>
    {!isTemporary && <DraftSync draftKey={draftKey} threadId={threadId} row={serverDraft} fieldRef={fieldRef} />}
    {modelOverride && <ModelOverride model={modelOverride} onRemove={() => choose(draftKey, { modelId: null })} />}
    {insertSign.test(text) && <InsertMenu draftKey={draftKey} fieldRef={fieldRef} />}
  </>
)

type ModelOverrideProps = { readonly model: ModelRow; readonly onRemove: () => void }

/** The chip of the model that was chosen for this message only. */
const ModelOverride = ({ model, onRemove }: ModelOverrideProps) => (
  <fieldset aria-label={t('onlyThisMessage')} className="flex min-w-0 px-3 pt-3">
    <span className="flex h-9 max-w-full min-w-0 items-center gap-2 rounded-lg border bg-background pl-2.5 text-sm">
      <MakerIcon maker={model.icon} className="size-4 shrink-0 text-accent" />
      <span className="min-w-0 truncate font-medium">{model.name}</span>
      <span className="shrink-0 text-xs text-muted-foreground max-sm:sr-only">{t('onlyThisMessage')}</span>
      <IconButton size="sm" label={t('removeModel', { model: model.name })} onClick={onRemove}>
        <X />
      </IconButton>
    </span>
  </fieldset>
)
