/*
 * switch_aarch64.S - leaves one stack and goes on with another; AAPCS64.
 *
 * void vt_switch(void **save, void *to): x19 to x30 and d8 to d15 stay on the stack it leaves,
 * *save being that stack.  The return is a plain branch, see switch_x86_64.S.
 */
#if defined(__aarch64__) && !defined(VT_UCONTEXT)
	.text
	.globl	vt_switch
	.hidden	vt_switch
	.type	vt_switch, %function
	.p2align 4
vt_switch:
	sub	sp, sp, #160
	stp	x19, x20, [sp, #0]
	stp	x21, x22, [sp, #16]
	stp	x23, x24, [sp, #32]
	stp	x25, x26, [sp, #48]
	stp	x27, x28, [sp, #64]
	stp	x29, x30, [sp, #80]
	stp	d8, d9, [sp, #96]
	stp	d10, d11, [sp, #112]
	stp	d12, d13, [sp, #128]
	stp	d14, d15, [sp, #144]
	mov	x9, sp
	str	x9, [x0]
	mov	sp, x1
	ldp	x19, x20, [sp, #0]
	ldp	x21, x22, [sp, #16]
	ldp	x23, x24, [sp, #32]
	ldp	x25, x26, [sp, #48]
	ldp	x27, x28, [sp, #64]
	ldp	x29, x30, [sp, #80]
	ldp	d8, d9, [sp, #96]
	ldp	d10, d11, [sp, #112]
	ldp	d12, d13, [sp, #128]
	ldp	d14, d15, [sp, #144]
	add	sp, sp, #160
	mov	x9, x30
	br	x9
	.size	vt_switch, .-vt_switch

/* Where a new stack begins: x20(x19), which does not come back. */
	.globl	vt_switch_start
	.hidden	vt_switch_start
	.type	vt_switch_start, %function
	.p2align 4
vt_switch_start:
	.cfi_startproc
	.cfi_undefined x30
	mov	x0, x19
	blr	x20
	brk	#0
	.cfi_endproc
	.size	vt_switch_start, .-vt_switch_start
#endif
	.section .note.GNU-stack, "", %progbits
