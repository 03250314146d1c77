/** A call whose server asks the user: who asks, its words, and the form. Its row is synced, so every device shows the same and the first answer counts. */
import { MessageCircleQuestion } from 'lucide-react'
import { type ReactNode, useId, useRef, useState } from 'react'
import type { DecideApprovalArgs } from '../../../../worker/contract/threads/server-args.ts'
import type { InputAnswer, InputAsk } from '../../../../worker/contract/tools/server-input.ts'
import { Button } from '../../../ui/button.tsx'
import type { AskingRow } from './approval-card.tsx'
import { CallCard } from './call-card.tsx'
import { AskFields, focusProblem } from './input-form.tsx'
import { answerOf, type InputValues, type Problems, shownAnswer, typedText, valuesOf } from './input-values.ts'
import { t } from './texts/en.ts'
import { useUnsentNotice } from './unsent.ts'

const headings = { pending: 'asks', allowed: 'answered', denied: 'unanswered' } as const

type InputCardProps = { readonly approval: AskingRow; readonly tool: string; readonly children: ReactNode }

export function InputCard({ approval, tool, children }: InputCardProps) {
  const { source, state, cause } = approval
  return (
    <CallCard
      label={t('request', { source: source.name })}
      icon={MessageCircleQuestion}
      heading={t(headings[state], { source: source.name })}
      notes={<p className="text-xs text-muted-foreground wrap-anywhere">{t('duringTool', { tool })}</p>}
    >
      {state === 'pending' && (cause === 'call_lost' || cause === 'not_called') && (
        <p className="px-4 pt-1 text-pretty text-muted-foreground">{t(cause === 'call_lost' ? 'answerLost' : 'answerNotSent')}</p>
      )}
      {children}
    </CallCard>
  )
}

type InputFormProps = {
  readonly approval: AskingRow
  readonly busyReason: string | undefined
  /** The decision that is on its way. */
  readonly sent: DecideApprovalArgs['decision'] | null
  readonly onSend: (answers: NonNullable<DecideApprovalArgs['answers']>) => void
  readonly onDecline: () => void
}

export function InputForm({ approval, busyReason, sent, onSend, onDecline }: InputFormProps) {
  const { form, answers, source } = approval
  const formRef = useRef<HTMLFormElement>(null)
  const first = form.map((ask, index) => ('url' in ask ? {} : valuesOf(ask.schema, answers?.[index])))
  const [values, setValues] = useState<readonly InputValues[]>(first)
  const [problems, setProblems] = useState<readonly Problems[]>([])
  const typed = form.map((ask, index) => ('url' in ask ? '' : typedText(ask.schema, values[index] ?? {}, first[index] ?? {})))
  useUnsentNotice(approval, typed.filter(Boolean).join('\n'))
  const send = () => {
    const read = form.map((ask, index) => ('url' in ask ? { ok: true as const, answer: {} } : answerOf(ask.schema, values[index] ?? {})))
    setProblems(read.map((one) => (one.ok ? {} : one.problems)))
    const answered = read.flatMap((one) => (one.ok ? [one.answer] : []))
    // The contract's lists are mutable.
    if (answered.length === form.length) onSend(answered as NonNullable<DecideApprovalArgs['answers']>)
    else focusProblem(formRef.current)
  }
  const change = (index: number, next: InputValues) => {
    setValues(values.with(index, next))
    setProblems(problems.map((one, at) => (at === index ? {} : one)))
  }
  const isAddress = form.every((ask) => 'url' in ask)
  // Without fields, the server asks for a yes or no.
  const hasFields = form.some((ask) => 'schema' in ask && Object.keys(ask.schema.properties).length > 0)
  return (
    <form
      ref={formRef}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (sent === null && busyReason === undefined) send()
      }}
    >
      {form.map((ask, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the requests never change.
        <div key={index} className="flex flex-col gap-3 px-4 pt-3">
          <Words source={source.name} text={ask.message} />
          <AskFields ask={ask} values={values[index] ?? {}} problems={problems[index] ?? {}} onChange={(next) => change(index, next)} />
        </div>
      ))}
      {(isAddress || hasFields) && (
        <p className="px-4 pt-3 text-xs text-pretty text-muted-foreground">
          {t(isAddress ? 'addressWarning' : 'inputWarning', { source: source.name })}
        </p>
      )}
      <footer className="mt-3 flex flex-wrap items-center gap-2 border-t border-border px-4 py-3">
        <Button type="submit" variant="primary" data-allow="" pending={sent === 'once'} disabledReason={busyReason}>
          {t(hasFields ? 'send' : 'continue')}
        </Button>
        <Button variant="ghost" pending={sent === 'deny'} disabledReason={busyReason} onClick={onDecline}>
          {t('decline')}
        </Button>
      </footer>
    </form>
  )
}

/** The words of the server, which can claim anything. */
function Words({ source, text }: { readonly source: string; readonly text: string }) {
  const id = useId()
  if (text === '') return null
  return (
    <figure aria-labelledby={id}>
      <figcaption id={id} className="text-xs text-muted-foreground wrap-anywhere">
        {t('serverSays', { source })}
      </figcaption>
      <blockquote
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable to be scrolled with keys
        tabIndex={0}
        dir="auto"
        className="mt-1 max-h-48 scroll-ends overflow-auto border-l-2 border-foreground/12 pl-3 wrap-anywhere whitespace-pre-wrap"
      >
        {text}
      </blockquote>
    </figure>
  )
}

type GivenAnswersProps = { readonly approval: { readonly form: readonly InputAsk[] }; readonly answers: readonly InputAnswer[] }

export const GivenAnswers = ({ approval: { form }, answers }: GivenAnswersProps) => (
  <dl className="mt-1 flex flex-col gap-1">
    {form.flatMap((ask, index) =>
      shownAnswer(ask, answers[index] ?? {}).map(([label, text]) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the answers never change.
        <div key={`${index} ${label}`} className="min-w-0">
          <dt className="text-xs wrap-anywhere">{label}</dt>
          <dd dir="auto" className="text-foreground wrap-anywhere whitespace-pre-wrap">
            {text}
          </dd>
        </div>
      )),
    )}
  </dl>
)
