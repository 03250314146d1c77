import type { ReactNode } from 'react'

/** A short page in the middle of the window, for before and after a session. */
export function SignInFrame({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center gap-5 px-5 py-10">
      <h1 className="text-center text-xl font-semibold tracking-tight">{title}</h1>
      {children}
    </main>
  )
}
