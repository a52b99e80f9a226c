/*
 * switch_x86_64.S - leaves one stack and goes on with another; System V ABI.
 *
 * void vt_switch(void **save, void *to): keeps the registers that a call preserves on the stack it
 * leaves, *save being that stack.  The floating point control words are the same in all tasks.
 * The return is pop and jmp: a ret would contradict the processor's return predictor, which costs
 * four times as much when hot.
 */
#if defined(__x86_64__) && !defined(VT_UCONTEXT)
	.text
	.globl	vt_switch
	.hidden	vt_switch
	.type	vt_switch, @function
	.p2align 4
vt_switch:
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	popq	%rcx
	jmp	*%rcx
	.size	vt_switch, .-vt_switch

/* Where a new stack begins: r12(rbx), which does not come back.  Debuggers stop here. */
	.globl	vt_switch_start
	.hidden	vt_switch_start
	.type	vt_switch_start, @function
	.p2align 4
vt_switch_start:
	.cfi_startproc
	.cfi_undefined rip
	movq	%rbx, %rdi
	call	*%r12
	ud2
	.cfi_endproc
	.size	vt_switch_start, .-vt_switch_start
#endif
	.section .note.GNU-stack, "", @progbits
