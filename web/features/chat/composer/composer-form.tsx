/** The form of the composer: notices, text, attachments, tools, model, price, and the send or stop button. Renders with each key. */
import { Plus } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { creditsForAll } from '../../../../worker/contract/access.ts'
import { isResolvedBy } from '../../../../worker/contract/errors.ts'
import { type Effort, effortFor, effortsOf } from '../../../../worker/contract/models/effort.ts'
import type { TurnMode } from '../../../../worker/contract/models/modes.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { isBusy as isThreadBusy } from '../../../../worker/contract/threads/thread-status.ts'
import { cx } from '../../../lib/cx.ts'
import { isSentInFirstPaint } from '../../../lib/first-paint.ts'
import { lazyPart, loadLater } from '../../../lib/lazy-part.ts'
import { openUpsell } from '../../../lib/overlays.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { sendingSentence } from '../../../lib/refusals/sending-sentence.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import { storageHealth, storesEverything } from '../../../lib/storage-health.ts'
import { useStore, useStored } from '../../../lib/store.ts'
import { hasKeyboard, smallWindow, useHeightVariable, useMedia } from '../../../lib/viewport.ts'
import { settled, useAct } from '../../../sync/act.ts'
import { useProject } from '../../../sync/organise.ts'
import type { DraftRow, Me, ModelRow, SummaryRow } from '../../../sync/rows.ts'
import type { ThreadState } from '../../../sync/thread.ts'
import { useServerSources } from '../../../sync/tool-servers.ts'
import { boundedPart } from '../../../ui/section-error-boundary.tsx'
import { AttachButton } from './attach-button.tsx'
import { blockedBy, lengthCheck } from './blocked.ts'
import { ComposerField, useFocusForEditing, useFocusOnArrival } from './composer-field.tsx'
import { choose, draftOf, endEditing, offeredDrafts, setDraft } from './drafts.ts'
import { DropZone } from './drop-zone.tsx'
import { editedPlace } from './edited-place.ts'
import { effectiveModeFor, isLockedMode } from './mode-problem.ts'
import { ModelPicker } from './model-picker.tsx'
import { Price, SendButton } from './send-button.tsx'
import { t } from './texts/en.ts'
import { threadSlot } from './thread-slot.ts'
import type { ToolsProps } from './tool-sources.ts'
import { ToolsMenu } from './tools-menu.tsx'
import { isTypedText, noteInput } from './typed-text.ts'
import { missingFiles, useAttachments } from './uploads.ts'
import { useSender } from './use-sender.ts'

const Notices = boundedPart('notification', () => import('./notices.tsx').then((module) => module.Notices))
const OptionsMenu = lazyPart(
  () => import('./options-menu.tsx').then((module) => module.OptionsMenu),
  <span className="inline-flex size-9 shrink-0 items-center justify-center text-muted-foreground">
    <Plus className="size-5" aria-hidden="true" />
  </span>,
)
const EffortPicker = lazyPart(() => import('./effort-picker.tsx').then((module) => module.EffortPicker))
const Attachments = boundedPart('files', () => import('./attachments.tsx').then((module) => module.Attachments))
const UnseenFiles = boundedPart('notification', () => import('./unseen-files.tsx').then((module) => module.UnseenFiles))
const ComposerTools = boundedPart('menu', () => import('./text-tools/composer-tools.tsx').then((module) => module.ComposerTools))
const EditingInPlace = lazyPart(() => import('./editing-in-place.tsx').then((module) => module.EditingInPlace))
const quoting = loadLater(() => import('./price/quoted-price.tsx'))
const ComparedModels = lazyPart(() => import('../models/compared-models.tsx').then((module) => module.ComparedModels))
const DraftNotices = boundedPart('notification', () => import('./draft-notices.tsx').then((module) => module.DraftNotices))

type ComposerFormProps = {
  readonly threadId: string
  /** The message that the new one answers; null for the first. */
  readonly parentId: string | null
  readonly draftKey: string
  readonly isNew: boolean
  readonly isTemporary: boolean
  readonly projectId: string | undefined
  readonly placeholder: string
  /** Another part of the page shows the remaining credits. */
  readonly isCountShown: boolean
  readonly shown: ThreadState
  /** Those of the thread, on all branches. */
  readonly summaries: readonly SummaryRow[]
  readonly serverDraft: DraftRow | undefined
  /** With the model of the next message. */
  readonly me: Me | undefined
  /** The model for the next message only. */
  readonly modelOverride: ModelRow | undefined
  /** The models that answer the next message besides the selected one. */
  readonly compared: readonly ModelRow[]
  /** All models that are chosen for the next message have arrived. */
  readonly hasChosenModels: boolean
}

export function ComposerForm({
  threadId,
  parentId,
  draftKey,
  isNew,
  isTemporary,
  projectId,
  placeholder,
  isCountShown,
  shown,
  summaries,
  serverDraft,
  me,
  modelOverride,
  compared,
  hasChosenModels,
}: ComposerFormProps) {
  const { thread } = shown
  const draft = useStore(draftOf(draftKey))
  const { text, choices, editing, interrupted } = draft
  const hasOffer = useStored(offeredDrafts, (offered) => [...offered.values()].some(({ key }) => key === draftKey))
  const act = useAct()
  const sender = useSender({ threadId, draftKey, parentId, projectId, isTemporary })
  const { files, uploads, add } = useAttachments(draftKey, sender.report)
  const fieldRef = useRef<HTMLTextAreaElement>(null)
  const boxRef = useRef<HTMLDivElement>(null)
  const pickerRef = useRef<HTMLDivElement>(null)
  useHeightVariable(boxRef, '--composer-height')
  const [isWaiting, setWaiting] = useState(false)
  // Read at commit, not at render: until then the user can press Enter in the first paint.
  useLayoutEffect(() => {
    if (isSentInFirstPaint(draftKey)) setWaiting(true)
  }, [draftKey])
  const nowMs = useServerNow()
  const { mode, fallbackReason } = effectiveModeFor(choices.mode, me, pageSettings.search, nowMs)
  // Research cannot be compared.
  const others = mode === 'research' ? [] : compared.filter(({ id }) => id !== me?.model?.id)
  const hasContent = text.trim() !== '' || files.length > 0
  const isBusy = isThreadBusy(thread)
  const isKnown = me?.model !== undefined && !me.isServed && hasChosenModels && (shown.state !== 'found' || shown.hasHead)
  const isFileMissing = useStored(missingFiles, (missing) => files.some(({ id }) => missing.has(id)))
  const project = useProject(thread ? thread.projectId : projectId)
  const offTools = (thread ? thread.offTools : choices.offTools) ?? project?.offTools ?? []
  const sources = useServerSources()
  const quoted = useStore(quoting)?.quotedPart({
    me,
    others,
    mode,
    thread,
    parentId,
    isTemporary,
    draft,
    project,
    summaries,
    sources,
    offTools,
  })
  const quote = quoted?.quote
  const isMessageTooLong = useStore(lengthCheck)
  const blocked = blockedBy(
    { text, files, uploads, isFileMissing, isBusy, isEditing: editing !== null, viewer: me, others, quote, isMessageTooLong },
    nowMs,
  )

  useFocusOnArrival(fieldRef, threadId)
  /** The place of the edited message, if the form is drawn there. */
  const place = useStored(editedPlace, (shownPlace) => (editing && shownPlace?.messageId === editing.messageId ? shownPlace.element : null))
  useFocusForEditing(fieldRef, editing?.messageId, place)

  const { problem, clearProblem } = sender
  const isStored = useStored(storageHealth, storesEverything)
  const hasNotices =
    Boolean(problem ?? fallbackReason ?? editing) || me?.credits.warn || !isStored || (blocked !== null && blocked.code !== 'message_empty')

  // The user continues writing after selecting a model, but on touch devices focusing would open the keyboard.
  const focusField = () => void (hasKeyboard() && fieldRef.current?.focus({ preventScroll: true }))
  const chooseModel = () => pickerRef.current?.querySelector('button')?.click()
  const submit = () => {
    if (blocked?.code === 'message_empty') return
    if (blocked) sender.report(blocked)
    // For a moment after the page opens, the user, the model and the parent message are not loaded.
    else if (!me?.model || !isKnown) setWaiting(true)
    else {
      // Only the memory needs it.
      const isTyped = me.setting?.isMemoryOn === true && isTypedText(draftKey, text)
      // An existing thread stores its effort.
      const options = { modelId: me.model.id, isModelForOnce: modelOverride !== undefined, others, mode, isTyped }
      if (isBusy) sender.queue({ ...options, effort: effortFor(me.model, thread?.effort) })
      else sender.send({ ...options, effort: thread ? null : choices.effort })
      // The pressed button is about to be replaced.
      focusField()
    }
  }
  // A user who sent before loading finished has not seen that the message would be sent in another mode.
  const sendWaiting = useEffectEvent(() => {
    if (!fallbackReason) submit()
  })
  useEffect(() => {
    if (!isWaiting || !isKnown) return
    setWaiting(false)
    sendWaiting()
  }, [isWaiting, isKnown])
  const effort: EffortChoice = {
    chosen: thread ? thread.effort : choices.effort,
    onChoose: (level) => {
      if (thread && me?.model)
        void settled(act(mutators.threads.setEffort({ threadId, modelId: me.model.id, effort: level }))).then(
          (outcome) => outcome.ok || sender.report(outcome.refusal),
        )
      else choose(draftKey, { effort: level })
      focusField()
    },
  }
  const chooseMode = (next: TurnMode) => {
    choose(draftKey, { mode: next })
    // A notice on a mode disappears when another mode is selected.
    if (problem && isResolvedBy(problem.refusal.code, 'mode')) clearProblem()
    focusField()
  }
  const stepBack = () => {
    if (editing) endEditing(draftKey)
    else if (thread?.status === 'submitted') act(mutators.threads.stop({ threadId }))
    else return false
    return true
  }

  const form = (
    <form
      aria-label={t('composer')}
      data-composer={draftKey}
      data-centered={isNew || undefined}
      data-temporary={isTemporary || undefined}
      className={cx(
        'flow-root rounded-2xl bg-raised',
        isTemporary
          ? 'outline-1 -outline-offset-1 outline-control outline-dashed focus-within:outline-2'
          : 'shadow-composer focus-within:shadow-[0_0_0_1px_var(--control),0_6px_20px_-8px_rgb(0_0_0/0.18)]',
      )}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {hasNotices && (
        <Notices
          sender={sender}
          blocked={blocked}
          isBusy={isBusy}
          fileCount={files.length + uploads.length}
          fallbackReason={fallbackReason}
          editing={editing}
          isInPlace={place !== null}
          me={me}
          isCountShown={isCountShown}
          onChooseModel={chooseModel}
          onChooseChat={() => chooseMode('chat')}
          onCancelEdit={() => endEditing(draftKey)}
        />
      )}
      {(hasOffer || interrupted.length > 0) && <DraftNotices draftKey={draftKey} />}
      {me?.model && thread && <UnseenFiles model={me.model} thread={thread} editing={editing} />}
      {(files.length > 0 || uploads.length > 0 || choices.switchedFrom) && (
        <Attachments
          draftKey={draftKey}
          files={files}
          uploads={uploads}
          mode={mode}
          others={others}
          isReported={problem !== null && problem.refusal.code === blocked?.code}
          onChooseModel={chooseModel}
        />
      )}
      {/* Stays after the text is gone, for what a server inserts. */}
      {(serverDraft || quoted || text !== '') && (
        <ComposerTools
          key={draftKey}
          draftKey={draftKey}
          threadId={isNew ? null : threadId}
          serverDraft={serverDraft}
          isTemporary={isTemporary}
          text={text}
          offTools={offTools}
          fieldRef={fieldRef}
        />
      )}
      <ComposerField
        fieldRef={fieldRef}
        value={text}
        placeholder={placeholder}
        onChange={(next, inputType) => {
          // Not `text`, because several keys may precede the next render.
          noteInput(draftKey, draftOf(draftKey).get().text, next, inputType)
          setDraft(draftKey, { text: next })
        }}
        onSubmit={submit}
        onEscape={stepBack}
        onFiles={add}
      />
      {/* A model name that does not fit between the buttons gets a separate line, because model names differ at their ends. A
          container query, because the sidebar may cover a third of the window. */}
      <div className="@container flex flex-wrap items-center gap-2 p-2 pl-2.5 max-sm:gap-1 max-sm:pl-1.5">
        <div ref={pickerRef} className="flex max-w-full min-w-0 items-center gap-2 max-sm:gap-1">
          <Models
            draftKey={draftKey}
            mode={mode}
            model={me && (me.model ?? null)}
            isForOnce={modelOverride !== undefined}
            others={others}
            effort={effort}
            focusField={focusField}
          />
        </div>
        <Controls
          tools={
            me && {
              ...{ draftKey, thread, offTools, mode, me, onChooseMode: chooseMode },
              onRefused: (problem) => (isLockedMode(problem) && pageSettings.billing ? openUpsell('research') : sender.report(problem)),
            }
          }
          effort={effort}
          price={
            (!isBusy || hasContent) &&
            me?.model &&
            (quoted?.quote ? (
              <quoted.QuotedPrice quote={quoted.quote} thread={thread} onChooseModel={chooseModel} />
            ) : (
              <Price credits={creditsForAll([me.model, ...others])} />
            ))
          }
          onFiles={add}
        >
          {(!place || isBusy) && (
            <SendButton
              isBusy={isBusy}
              isStopping={thread?.status === 'stopping'}
              canQueue={hasContent && !editing}
              blockedReason={blocked ? sendingSentence(blocked) : undefined}
              onSend={submit}
              onStop={() => {
                act(mutators.threads.stop({ threadId }))
                focusField()
              }}
            />
          )}
          {place && (
            <EditingInPlace
              buttons={{
                blockedReason: blocked ? sendingSentence(blocked) : undefined,
                onCancel: () => endEditing(draftKey),
                onSend: submit,
              }}
            />
          )}
        </Controls>
      </div>
    </form>
  )
  return (
    // Positioned, so that its outline covers the fade at the end of the conversation.
    <div
      ref={boxRef}
      className="relative mx-auto w-full max-w-reading shrink-0 px-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] md:px-6 md:pb-5"
    >
      {place ? createPortal(form, place) : form}
      {place && <EditingInPlace />}
      <DropZone onFiles={add} />
    </div>
  )
}

/** The reasoning effort. A thread stores it; the draft of a new thread holds it until then. */
type EffortChoice = { readonly chosen: string | null | undefined; readonly onChoose: (effort: Effort) => void }

type ModelsProps = {
  readonly draftKey: string
  readonly mode: TurnMode
  /** Undefined while the user is not loaded. */
  readonly model: ModelRow | null | undefined
  readonly isForOnce: boolean
  readonly others: readonly ModelRow[]
  readonly effort: EffortChoice
  readonly focusField: () => void
}

/** Which models answer, and with which effort. */
function Models({ draftKey, mode, model, isForOnce, others, effort, focusField }: ModelsProps) {
  const compare = (models: readonly ModelRow[]) => choose(draftKey, { comparedIds: models.map(({ id }) => id) })
  return (
    <>
      <ModelPicker
        draftKey={draftKey}
        model={model}
        isForOnce={isForOnce}
        onChosen={focusField}
        compared={mode === 'research' ? null : { models: others, onChange: compare }}
      />
      {others.length > 0 && <ComparedModels models={others} onChange={compare} />}
      {model && effortsOf(model).length > 0 && (
        <div className="contents max-sm:hidden">
          <EffortPicker model={model} chosen={effort.chosen} onChoose={effort.onChoose} />
        </div>
      )}
    </>
  )
}

type ControlsProps = {
  /** Undefined while the user is not loaded. */
  readonly tools: ToolsProps | undefined
  readonly effort: EffortChoice
  readonly price: ReactNode
  readonly onFiles: (files: readonly File[]) => void
  readonly children: ReactNode
}

/** The tools, files and price of the message. */
function Controls({ tools, effort, price, onFiles, children }: ControlsProps) {
  const isSmall = useMedia(smallWindow)
  const fileInputRef = useRef<HTMLInputElement>(null)
  return (
    <div className="flex flex-1 items-center gap-2 max-sm:gap-1">
      {tools && (
        <>
          <div className="contents max-sm:hidden">
            <ToolsMenu {...tools} />
          </div>
          {isSmall && (
            <OptionsMenu
              {...tools}
              chosenEffort={effort.chosen}
              onChooseEffort={effort.onChoose}
              onAttach={() => fileInputRef.current?.click()}
            />
          )}
        </>
      )}
      <span className="flex-1" />
      <div className="contents max-sm:hidden">
        <AttachButton inputRef={fileInputRef} onFiles={onFiles} />
      </div>
      {useStore(threadSlot)}
      {/* Reserves the space of the price until the model is loaded. */}
      {!tools?.me.model && (
        <span className="invisible">
          <Price credits={1} />
        </span>
      )}
      {price}
      {children}
    </div>
  )
}
