/**
 * A tool call that waits for the user: what would be sent, to which tool, and the decision. Its row is synced, so every device shows the same and the
 * first decision counts.
 */
import { ShieldQuestion } from 'lucide-react'
import { type ReactNode, useId, useRef, useState } from 'react'
import { isRecord } from '../../../../worker/contract/is-record.ts'
import { maxApprovalReasonChars } from '../../../../worker/contract/limits.ts'
import { searchTool } from '../../../../worker/contract/models/tools.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import type { ToolPart } from '../../../../worker/contract/threads/messages.ts'
import type { DecideApprovalArgs } from '../../../../worker/contract/threads/server-args.ts'
import type { InputAsk } from '../../../../worker/contract/tools/server-input.ts'
import { webSource } from '../../../../worker/contract/tools/taint.ts'
import { createId } from '../../../lib/create-id.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import { settled, useAct } from '../../../sync/act.ts'
import { useApprovals } from '../../../sync/approvals.ts'
import type { ApprovalRow } from '../../../sync/rows.ts'
import { Button } from '../../../ui/button.tsx'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { scrollTabStop } from '../../../ui/scroll-tab-stop.ts'
import { TextField } from '../../../ui/text-field.tsx'
import { toastRefusal } from '../../../ui/toast-refusal.ts'
import { focusComposer } from '../composer/composer-field.tsx'
import { announceTurnRequest } from '../stream/turn-requests.ts'
import type { ApprovalPlace } from './approval-place.ts'
import { argumentsForm, isChangeable, jsonField, parseInput, shownValue } from './argument-fields.ts'
import { CallCard } from './call-card.tsx'
import { ContinuationPrice } from './continuation-price.tsx'
import { GivenAnswers, InputCard, InputForm } from './input-card.tsx'
import { focusProblem, SchemaFields } from './input-form.tsx'
import { answerOf, type InputValues, type Problems, typedText, valuesOf } from './input-values.ts'
import { t } from './texts/en.ts'
import { decidedHere, useUnsentNotice } from './unsent.ts'

type Decision = Pick<DecideApprovalArgs, 'decision' | 'reason' | 'input' | 'answers'>

type ApprovalCardProps = { readonly part: ToolPart; readonly name: string; readonly place: ApprovalPlace }

const headings = { pending: 'wants', expired: 'toolExpired', allowed: 'toolAllowed', denied: 'toolDenied' } as const

/** A call whose server asks the user. */
export type AskingRow = ApprovalRow & { readonly form: readonly InputAsk[] }

const isAsking = (approval: ApprovalRow | undefined): approval is AskingRow => approval?.form != null

export function ApprovalCard({ part, name, place }: ApprovalCardProps) {
  const approvals = useApprovals(place.threadId)
  const nowMs = useServerNow()
  const approval = approvals.find(({ id }) => id === part.approval?.id)
  const source = approval?.source.name ?? part.source?.name
  // The tools of the web are ours.
  const isWeb = approval?.source.id === webSource
  const tool = isWeb && part.type === `tool-${searchTool}` ? t('webSearch') : (approval?.title ?? name)
  const isWaiting = approval?.state === 'pending'
  const isExpired = isWaiting && nowMs >= approval.expiresAt
  const isOpen = isWaiting && !isExpired && place.isLast
  if (isAsking(approval))
    return (
      <InputCard approval={approval} tool={tool}>
        {isOpen ? <Asking approval={approval} place={place} /> : <Footer>{statusOf(approval, place, nowMs)}</Footer>}
      </InputCard>
    )
  return (
    <CallCard
      label={t('approval', { tool })}
      icon={ShieldQuestion}
      heading={t(headings[isExpired ? 'expired' : (approval?.state ?? 'pending')], { tool })}
      notes={
        <>
          {source && !isWeb && (
            <p className="text-xs text-muted-foreground wrap-anywhere">
              {t('from', { source, name: approval?.tool ?? part.type.slice('tool-'.length) })}
            </p>
          )}
          {approval && isWaiting && approval.cause !== 'input' && (
            <p className="mt-1 text-pretty text-muted-foreground">{t(approval.cause)}</p>
          )}
        </>
      }
    >
      {approval && isOpen ? (
        <Pending approval={approval} place={place} hasForeignWords={!isWeb} />
      ) : (
        <>
          <Arguments input={approval?.input ?? part.input ?? null} isChanged={approval?.isChanged === true} />
          {approval && <Footer>{statusOf(approval, place, nowMs)}</Footer>}
        </>
      )}
    </CallCard>
  )
}

function statusOf(approval: ApprovalRow, place: ApprovalPlace, nowMs: number): ReactNode {
  if (approval.state !== 'pending') return <p className="text-muted-foreground">{t('waitsForOthers')}</p>
  if (nowMs < approval.expiresAt) return <p className="text-muted-foreground">{t('passed')}</p>
  return <Expired approval={approval} place={place} />
}

const Footer = ({ children }: { readonly children: ReactNode }) => (
  <footer className="mt-3 flex flex-wrap items-center gap-2 border-t border-border px-4 py-3">{children}</footer>
)

function Expired({ approval: { threadId, messageId }, place }: { readonly approval: ApprovalRow; readonly place: ApprovalPlace }) {
  const act = useAct()
  const [isPending, setPending] = useState(false)
  const renew = async () => {
    setPending(true)
    await toastRefusal(settled(act(mutators.approvals.renew({ threadId, messageId }))))
    setPending(false)
  }
  return (
    <>
      <p className="text-pretty text-muted-foreground">{t('expired')}</p>
      {place.isLast && (
        <Button size="sm" pending={isPending} disabledReason={place.busyReason} onClick={() => void renew()}>
          {t('askAgain')}
        </Button>
      )}
    </>
  )
}

const Asking = ({ approval, place }: { readonly approval: AskingRow; readonly place: ApprovalPlace }) => {
  const { cardRef, sent, decide } = useDecide(approval)
  return (
    <div ref={cardRef}>
      <InputForm
        approval={approval}
        busyReason={place.busyReason}
        sent={sent}
        onSend={(answers) => void decide({ decision: 'once', answers })}
        onDecline={() => void decide({ decision: 'deny' })}
      />
      <ContinuationPrice approval={approval} />
      <Disclosure summary={t('theCall')} className="px-4 pb-3">
        <div className="-mx-4">
          <Arguments input={approval.input} />
        </div>
      </Disclosure>
    </div>
  )
}

type PendingProps = { readonly approval: ApprovalRow; readonly place: ApprovalPlace; readonly hasForeignWords: boolean }

/** Sends the decision and moves the focus on. `sent`: the decision that is on its way. */
function useDecide({ threadId, id }: ApprovalRow) {
  const act = useAct()
  const cardRef = useRef<HTMLDivElement>(null)
  const [sent, setSent] = useState<Decision['decision'] | null>(null)
  const decide = async (decision: Decision) => {
    if (sent !== null) return
    // The card is unmounted when the decision arrives.
    const card = cardRef.current
    const log = card?.closest('[role="log"]') ?? null
    setSent(decision.decision)
    decidedHere.add(id)
    announceTurnRequest(threadId)
    const isDone = await toastRefusal(settled(act(mutators.approvals.decide({ id, answerId: createId(), ...decision }))))
    setSent(null)
    if (isDone) focusNext(log, card)
    else decidedHere.delete(id)
  }
  return { cardRef, sent, decide }
}

function Pending({ approval, place, hasForeignWords }: PendingProps) {
  const { cardRef, sent, decide } = useDecide(approval)
  /** Null: Deny was not pressed yet. */
  const [isDenying, setDenying] = useState<boolean | null>(null)
  const [reason, setReason] = useState('')
  const form = useArguments(approval)
  useUnsentNotice(approval, [form.typed, reason.trim()].filter(Boolean).join('\n'))
  const allow = (decision: 'once' | 'thread') => {
    const changed = form.read()
    if (changed.ok) void decide({ decision, ...(changed.input && { input: changed.input }) })
  }
  const isTooLong = reason.length > maxApprovalReasonChars
  const deny = () => void decide({ decision: 'deny', ...(reason.trim() === '' ? {} : { reason: reason.trim() }) })
  const stateOf = (decision: Decision['decision']) => ({ pending: sent === decision, disabledReason: place.busyReason })
  return (
    <div ref={cardRef}>
      {form.fields ?? <Arguments input={approval.input} />}
      {hasForeignWords && approval.description !== '' && <ToolDescription source={approval.source.name} text={approval.description} />}
      <ContinuationPrice approval={approval} />
      {isDenying ? (
        <form
          className="mt-3 flex flex-col gap-3 border-t border-border px-4 py-3"
          onSubmit={(event) => {
            event.preventDefault()
            if (!isTooLong) deny()
          }}
          onKeyDown={(event) => event.key === 'Escape' && setDenying(false)}
        >
          <TextField
            label={t('reason')}
            description={t('reasonDescription')}
            rows={2}
            maxChars={maxApprovalReasonChars}
            value={reason}
            onValueChange={setReason}
            autoFocus
          />
          <div className="flex flex-wrap gap-2">
            <Button type="submit" variant="danger" {...stateOf('deny')}>
              {t('deny')}
            </Button>
            <Button variant="ghost" onClick={() => setDenying(false)}>
              {t('cancel')}
            </Button>
          </div>
        </form>
      ) : (
        <footer className="mt-3 flex flex-wrap items-center gap-2 border-t border-border px-4 py-3 max-sm:*:grow">
          <Button variant="primary" data-allow="" {...stateOf('once')} onClick={() => allow('once')}>
            {t('allowOnce')}
          </Button>
          <Button {...stateOf('thread')} onClick={() => allow('thread')}>
            {t('allowForThread')}
          </Button>
          {/* Gets the focus back from the form. */}
          <Button variant="ghost" autoFocus={isDenying === false} disabledReason={place.busyReason} onClick={() => setDenying(true)}>
            {t('deny')}
          </Button>
          {isChangeable(approval.inputSchema, approval.input) && (
            <Button variant="ghost" aria-expanded={form.fields !== null} onClick={form.toggle}>
              {t(form.fields === null ? 'change' : 'keepOriginal')}
            </Button>
          )}
          <p className="basis-full text-xs text-muted-foreground">{t('waits')}</p>
        </footer>
      )}
    </div>
  )
}

/** The next call of the answer that waits, so that several can be decided in a row. Otherwise the composer. */
function focusNext(log: Element | null, card: Element | null): void {
  const next = [...(log?.querySelectorAll<HTMLElement>('[data-allow]') ?? [])].find((button) => !card?.contains(button))
  if (next) next.focus({ preventScroll: true })
  else focusComposer(log)
}

type ArgumentsState = {
  /** Null while the arguments are not being changed. */
  readonly fields: ReactNode
  readonly toggle: () => void
  /** The changes, as text. */
  readonly typed: string
  /** The changed input, if there is one. */
  readonly read: () => { readonly ok: true; readonly input?: NonNullable<DecideApprovalArgs['input']> } | { readonly ok: false }
}

function useArguments({ input, inputSchema }: ApprovalRow): ArgumentsState {
  const form = argumentsForm(inputSchema, input)
  const fieldsRef = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [values, setValues] = useState<InputValues>({})
  const [text, setText] = useState('')
  const [problems, setProblems] = useState<Problems>({})
  const toggle = () => {
    setOpen(!isOpen)
    setProblems({})
    if (form) setValues(valuesOf(form.schema, form.given))
    else setText(JSON.stringify(input, null, 2))
  }
  const readForm = () => {
    const read = form ? answerOf(form.schema, values, { mayBeEmpty: true }) : parseInput(text)
    if (read.ok) return read.answer
    setProblems(read.problems)
    focusProblem(fieldsRef.current)
    return null
  }
  const typedJson = text === JSON.stringify(input, null, 2) ? '' : text
  return {
    toggle,
    typed: isOpen ? (form ? typedText(form.schema, values, valuesOf(form.schema, form.given)) : typedJson) : '',
    read: () => {
      if (!isOpen) return { ok: true }
      const changed = readForm()
      // The contract's JSON is mutable.
      return changed ? { ok: true, input: changed as NonNullable<DecideApprovalArgs['input']> } : { ok: false }
    },
    fields: isOpen ? (
      <div ref={fieldsRef} className="flex flex-col gap-3 px-4 pt-3">
        {form ? (
          <SchemaFields
            schema={form.schema}
            values={values}
            problems={problems}
            onChange={(next) => {
              setValues(next)
              setProblems({})
            }}
          />
        ) : (
          <TextField
            label={t('json')}
            rows={8}
            spellCheck={false}
            className="*:[textarea]:font-mono"
            error={problems[jsonField]}
            value={text}
            onValueChange={(next) => {
              setText(next)
              setProblems({})
            }}
          />
        )}
      </div>
    ) : null,
  }
}

/** All arguments in full. Long ones scroll. */
function Arguments({ input, isChanged = false }: { readonly input: unknown; readonly isChanged?: boolean }) {
  const id = useId()
  const entries = isRecord(input) ? Object.entries(input) : [['', input] as const]
  return (
    <div className="px-4 pt-3">
      <p id={id} className="text-xs font-medium text-muted-foreground">
        {isChanged ? `${t('arguments')} · ${t('changedByYou')}` : t('arguments')}
      </p>
      {entries.length === 0 && <p>{t('noArguments')}</p>}
      <dl aria-labelledby={id} className="mt-1 flex flex-col gap-2">
        {entries.map(([name, value]) => (
          <div key={name} className="min-w-0">
            {name !== '' && <dt className="text-xs text-muted-foreground wrap-anywhere">{shownValue(name)}</dt>}
            <dd>
              <pre
                ref={scrollTabStop}
                dir="auto"
                className="max-h-48 scroll-ends overflow-auto rounded-lg bg-foreground/4 px-3 py-2 font-mono text-code wrap-anywhere whitespace-pre-wrap"
              >
                {shownValue(value)}
              </pre>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** The words of the tool's source, which can claim anything. */
const ToolDescription = ({ source, text }: { readonly source: string; readonly text: string }) => (
  <figure className="px-4 pt-3 text-muted-foreground">
    <figcaption className="text-xs">{t('saysOfItself', { source })}</figcaption>
    <blockquote
      ref={scrollTabStop}
      dir="auto"
      className="mt-1 max-h-32 scroll-ends overflow-auto border-l-2 border-foreground/12 pl-3 wrap-anywhere whitespace-pre-wrap"
    >
      {text}
    </blockquote>
  </figure>
)

/** The user's decision on a call that has ended, and a button that ends “Allow for this thread”. */
export function DecisionNote({ part, threadId }: { readonly part: ToolPart; readonly threadId: string | null }) {
  const { approved, reason, isChanged, isInput } = part.approval ?? {}
  if (isInput) return <AnswerNote part={part} threadId={threadId} />
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted-foreground">
      <p className="wrap-anywhere">
        {approved ? t(isChanged ? 'allowedChanged' : 'allowed') : reason ? t('deniedBecause', { reason }) : t('denied')}
      </p>
      {approved && threadId !== null && <Grant approvalId={part.approval?.id} threadId={threadId} />}
    </div>
  )
}

/** The user's answer to the server. The row has it; a copy of the thread has none. */
function AnswerNote({ part, threadId }: { readonly part: ToolPart; readonly threadId: string | null }) {
  const approvals = useApprovals(threadId ?? '')
  const approval = approvals.find(({ id }) => id === part.approval?.id)
  const source = part.source?.name ?? ''
  const isDeclined = part.output !== undefined || part.errorCode !== undefined
  return (
    <div className="text-sm text-muted-foreground">
      <p className="wrap-anywhere">{t(part.approval?.approved ? 'answered' : isDeclined ? 'declined' : 'unanswered', { source })}</p>
      {isAsking(approval) && approval.answers && <GivenAnswers approval={approval} answers={approval.answers} />}
    </div>
  )
}

function Grant({ approvalId, threadId }: { readonly approvalId: string | undefined; readonly threadId: string }) {
  const act = useAct()
  const approval = useApprovals(threadId).find(({ id }) => id === approvalId)
  if (!approval?.isForThread) return null
  const { source, tool } = approval
  return (
    <>
      <p>{t('grantedForThread')}</p>
      <Button
        size="sm"
        variant="ghost"
        onClick={() => void toastRefusal(settled(act(mutators.approvals.revoke({ threadId, sourceId: source.id, tool }))))}
      >
        {t('askNextTime')}
      </Button>
    </>
  )
}
