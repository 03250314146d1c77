/** Adjacent searches and page reads: a summary line with the results or failure of each in a disclosure. */
import { FileText, Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { isSearch, searchOutputOf } from '../../../../worker/contract/models/tools.ts'
import type { ToolPart } from '../../../../worker/contract/threads/messages.ts'
import { pageOutputOf, requestedOf } from '../../../../worker/contract/threads/sources.ts'
import { cx } from '../../../lib/cx.ts'
import { lazyPart } from '../../../lib/lazy-part.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { safeHref } from '../../../ui/markdown/safe-url.ts'
import { t } from './texts/en.ts'
import { siteIn, webSummary } from './web-summary.ts'

const CallFailureText = lazyPart(() => import('./call-failure-text.tsx').then((module) => module.CallFailureText))

type WebWorkProps = { readonly calls: readonly ToolPart[]; readonly isRunning: boolean }

export function WebWork({ calls, isRunning }: WebWorkProps) {
  const summary = webSummary(calls, isRunning)
  return (
    <Disclosure
      open={isRunning}
      // Also animated between the last page and the first word, when nothing else shows activity.
      summary={isRunning ? <span className="animate-breathe">{summary}</span> : summary}
    >
      <ul className="ml-[0.1875rem] flex flex-col gap-3 border-l-2 border-foreground/12 pl-4 text-sm">
        {calls.map((call) => (
          <li key={call.toolCallId} className="min-w-0">
            {isSearch(call) ? <SearchCall call={call} /> : <PageCall call={call} />}
          </li>
        ))}
      </ul>
    </Disclosure>
  )
}

export function SearchCall({ call }: { readonly call: ToolPart }) {
  const output = searchOutputOf(call)
  return (
    <>
      <Head icon={<Search aria-hidden="true" />} note={output && t('results', { count: output.results.length })}>
        {requestedOf(call) || t('search')}
      </Head>
      <Failure call={call} />
      {output && (
        <ol className="mt-1 flex flex-col gap-0.5 pl-5.5">
          {output.results.map(({ number, title, url, site, date }) => (
            <li key={number} className="flex min-w-0 items-baseline gap-x-2 max-sm:flex-wrap">
              <span className="w-4 shrink-0 text-right text-xs text-muted-foreground tabular-nums">{number}</span>
              <PageLink url={url} className="text-muted-foreground max-sm:flex-1">
                {title}
              </PageLink>
              <span className="shrink-0 text-xs text-muted-foreground max-sm:w-full max-sm:pl-6">
                {[site, date].filter(Boolean).join(' · ')}
              </span>
            </li>
          ))}
        </ol>
      )}
      {output?.standIn && <p className="mt-1 pl-5.5 text-xs text-muted-foreground">{t('bundledPages')}</p>}
    </>
  )
}

export function PageCall({ call }: { readonly call: ToolPart }) {
  const output = pageOutputOf(call)
  const asked = requestedOf(call)
  return (
    <>
      <Head icon={<FileText aria-hidden="true" />} note={output?.site ?? null}>
        {output ? (
          <PageLink url={output.url} className="text-muted-foreground">
            {output.title}
          </PageLink>
        ) : (
          siteIn(asked) || asked || t('page')
        )}
      </Head>
      <Failure call={call} />
    </>
  )
}

function Head({ icon, note, children }: { readonly icon: ReactNode; readonly note: string | null; readonly children: ReactNode }) {
  return (
    // On a phone the site is truncated, not the title.
    <p className="flex min-w-0 items-center gap-2 [&_svg]:size-3.5 [&_svg]:shrink-0 [&_svg]:text-muted-foreground">
      {icon}
      <span className="min-w-0 truncate">{children}</span>
      {note && <span className="shrink-0 truncate text-xs text-muted-foreground max-sm:max-w-1/3">{note}</span>}
    </p>
  )
}

const Failure = ({ call: { errorCode } }: { readonly call: ToolPart }) =>
  errorCode && (
    <p className="mt-0.5 pl-5.5 text-warning">
      <CallFailureText code={errorCode} />
    </p>
  )

function PageLink({ url, className, children }: { readonly url: string; readonly className?: string; readonly children: string }) {
  const href = safeHref(url)
  if (!href) return <span className={cx('min-w-0 truncate', className)}>{children}</span>
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      className={cx('min-w-0 truncate underline-offset-4 hover:text-foreground hover:underline', className)}
    >
      {children}
    </a>
  )
}
